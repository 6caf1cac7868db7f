"""What lies on disk beside the runs."""

from __future__ import annotations

import os

from goalkeeper.bootstrap import App, config_home, read_lock_timeout, state_home
from goalkeeper.hold.store import Holds
from goalkeeper.storage.missing import MissingCriteria
from goalkeeper.storage.receipts import Keys
from goalkeeper.wire import layout


def open_keys(app: App) -> Keys:
    return Keys(os.path.join(config_home(app.world.environ), "keys"), app.world.disk)


def open_holds(app: App) -> Holds:
    return Holds(app.state.dir, state_home(app.world.environ), app.world.disk)


def open_missing_criteria(app: App) -> MissingCriteria:
    """What checklists found wrong, and no contract asked for."""
    path = os.path.join(app.state.dir, layout.MISSING_CRITERIA)
    lock = os.path.join(app.state.cache, f"{layout.MISSING_CRITERIA}.lock")
    timeout = read_lock_timeout(app.world.environ)
    return MissingCriteria(path, lock, app.world.disk, timeout_seconds=timeout)
