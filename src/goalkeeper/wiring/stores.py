"""What lies on disk beside the runs: settings, keys, holds, and the user's programs."""

from __future__ import annotations

import os
import shutil

from goalkeeper.bootstrap import App, config_home, read_lock_timeout
from goalkeeper.config import Settings
from goalkeeper.hold.store import Holds
from goalkeeper.storage.missing import MissingCriteria
from goalkeeper.storage.receipts import Keys
from goalkeeper.storage.settings import find_settings
from goalkeeper.wire import layout


def read_settings(app: App) -> Settings:
    """Read config.toml as it is now, or the defaults where there is none."""
    return find_settings(app.state.config)


def find_program(app: App, name: str) -> str | None:
    """Find a program as the user finds it."""
    return shutil.which(name, path=app.world.environ.get("PATH"))


def open_keys(app: App) -> Keys:
    return Keys(os.path.join(config_home(app.world.environ), "keys"), app.world.disk)


def open_holds(app: App) -> Holds:
    return Holds(app.state.dir, layout.state_home(app.world.environ), app.world.disk)


def open_missing_criteria(app: App) -> MissingCriteria:
    """Open the list of problems that checklists found and no contract covers."""
    path = os.path.join(app.state.dir, layout.MISSING_CRITERIA)
    lock = os.path.join(app.state.cache, f"{layout.MISSING_CRITERIA}.lock")
    timeout = read_lock_timeout(app.world.environ)
    return MissingCriteria(path, lock, app.world.disk, timeout_seconds=timeout)
