"""What a human would have confirmed: the settings that a test wrote, and state that it copied."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from goalkeeper.app.trust import digest_parts, list_risky_parts
from goalkeeper.bootstrap import config_home
from goalkeeper.errors import GoalkeeperError
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.places import State
from goalkeeper.storage.settings import parse_settings
from goalkeeper.storage.trusted import TrustedSettings
from goalkeeper.wire import layout


def trust_settings(root: Path, environ: Mapping[str, str], *others: Path) -> None:
    """Confirm what config.toml says now; what cannot be read needs no trust.

    `others` are paths that the repository has, too.
    """
    try:
        data = (root / ".goalkeeper/config.toml").read_bytes()
        digest = digest_parts(list_risky_parts(parse_settings(data, "config.toml")))
    except (OSError, GoalkeeperError):
        return
    for place in (root.resolve(), *others) if digest else ():
        kept = TrustedSettings(f"{config_home(environ)}/trust", str(place), Disk())
        if digest not in kept.list_digests():
            kept.add(digest)


def take_over_state(root: Path, environ: Mapping[str, str], *others: Path) -> None:
    """Confirm state that was copied to this place; `others` are as above."""
    states = [State(str(p), layout.state_home(environ)) for p in (root.resolve(), *others)]
    states[0].make_known(Disk())
    for state in states[1:]:
        shutil.copy(states[0].known_file, state.known_file)
