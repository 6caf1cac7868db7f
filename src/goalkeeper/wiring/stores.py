"""What lies on disk beside the runs: settings, keys, holds, and the user's programs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager

from goalkeeper.app.trust import decide_settings, digest_parts, list_risky_parts
from goalkeeper.bootstrap import App, config_home, read_lock_timeout
from goalkeeper.config import Settings
from goalkeeper.core.plan.actors import find_marker
from goalkeeper.hold.store import Holds
from goalkeeper.storage.ancestry import is_driven
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.missing import MissingCriteria
from goalkeeper.storage.receipts import Keys
from goalkeeper.storage.settings import find_settings
from goalkeeper.storage.trusted import TrustedSettings
from goalkeeper.wire import layout

KEYS = "keys"  # it lies in the config home
_DRIVERS = (
    "the repository's own git configuration is not trusted: git runs no program that it names, "
    "such as filters (goalkeeper trust)"
)


def read_settings(app: App) -> Settings:
    """Read config.toml as it is now, or the defaults where there is none."""
    return weigh_settings(app, find_settings(app.state.config))


def read_defaults(app: App) -> Settings:
    """Read config.toml for its gate and its agent, which count without trust."""
    return find_settings(app.state.config)


def weigh_settings(app: App, settings: Settings) -> Settings:
    """Return those of a repository's settings that count, and tell which do not."""
    counted = decide_settings(settings, lambda digest: has_trust(app, digest))
    if counted.left_out:
        file, names = f"{layout.STATE_DIR}/{layout.CONFIG}", ", ".join(counted.left_out)
        app.tell(
            f"{file} is not trusted: without {names}, checks in a sandbox only "
            f"(goalkeeper trust; in CI {layout.TRUST}, see goalkeeper trust --help)"
        )
        if app.world.environ.get(layout.TRUST):
            app.tell(_explain_distrust(app, digest_parts(list_risky_parts(settings))))
    return counted


def _explain_distrust(app: App, digest: str) -> str:
    """Say why a variable that names digests does not help."""
    if digest in _list_named_digests(app):
        return f"{layout.TRUST} does not count for an agent"
    return f"{layout.TRUST} names another digest than that of these settings, {digest}"


def _list_named_digests(app: App) -> list[str]:
    return app.world.environ.get(layout.TRUST, "").replace(",", " ").split()


def has_trust(app: App, digest: str) -> bool:
    """Return whether the user confirmed settings with this digest, or the environment names it.

    An agent does not confirm anything by a variable that it sets for itself.
    """
    if digest in open_trusted_settings(app).list_digests():
        return True
    return (
        digest in _list_named_digests(app)
        and not find_marker(app.world.environ)
        and not is_driven(app.state)
    )


def are_drivers_trusted(app: App, found: Mapping[str, str]) -> bool:
    """Return whether the user confirmed these programs of the repository's own configuration."""
    trusted = has_trust(app, digest_parts(found))
    if not trusted:
        app.tell(_DRIVERS)
    return trusted


def open_trusted_settings(app: App) -> TrustedSettings:
    folder = os.path.join(config_home(app.world.environ), "trust")
    return TrustedSettings(folder, app.root, app.world.disk)


def find_program(app: App, name: str) -> str | None:
    """Find a program as the user finds it."""
    return shutil.which(name, path=app.world.environ.get("PATH"))


def open_keys(app: App) -> Keys:
    return Keys(os.path.join(config_home(app.world.environ), KEYS), app.world.disk)


def open_holds(app: App) -> Holds:
    app.state.check_own()
    return Holds(app.state.dir, layout.state_home(app.world.environ), app.world.disk)


def hold_user_lock(app: App, name: str, *, timeout_seconds: float) -> AbstractContextManager[None]:
    """Keep all processes of this user, in any repository, from doing the same meanwhile."""
    home = layout.state_home(app.world.environ)
    with disk_errors("make", home):
        os.makedirs(home, exist_ok=True)
    path = os.path.join(home, f"{name}.lock")
    return hold_lock(path, shared=False, timeout_seconds=timeout_seconds)


def open_missing_criteria(app: App) -> MissingCriteria:
    """Open the list of problems that checklists found and no contract covers."""
    path = os.path.join(app.state.dir, layout.MISSING_CRITERIA)
    lock = os.path.join(app.state.cache, f"{layout.MISSING_CRITERIA}.lock")
    timeout = read_lock_timeout(app.world.environ)
    return MissingCriteria(path, lock, app.world.disk, timeout_seconds=timeout)
