"""The trees and worktrees of the checkout we are called in, for those who run no check, too."""

from __future__ import annotations

import os
from functools import partial

from goalkeeper.bootstrap import App, cache_home, config_home
from goalkeeper.core.plan.model import Base
from goalkeeper.git.trees import Trees
from goalkeeper.git.worktrees import Worktrees
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import sha256
from goalkeeper.wiring.stores import are_drivers_trusted
from goalkeeper.witness.folders import WitnessFolders, name_disk_errors, name_repository
from goalkeeper.witness.pool import SLOTS

_WITNESS = "witness"  # its folder in the cache
TREES = "trees"  # what was judged lies there, in the state home


def open_trees(app: App) -> Trees:
    """Open the trees of the checkout we are called in, for those who run no check."""
    return find_witness_folders(app).open_trees(partial(are_drivers_trusted, app))


def take_snapshot(app: App) -> Base:
    return name_disk_errors(open_trees(app).take_snapshot)()


def find_witness_folders(app: App, apart: str = "") -> WitnessFolders:
    environ = app.world.environ
    here, state, cache = app.worktree, layout.state_home(environ), cache_home(environ)
    return WitnessFolders(
        root=app.root,
        worktree=here,
        state=os.path.join(state, TREES),
        cache=os.path.join(cache, _WITNESS),
        hidden=(app.root, here, config_home(environ), state, cache),
        apart=apart,
    )


def find_held_out(app: App, run_id: str) -> str:
    """Return the folder for evidence of held-out checks; a copy has runs with the same ids."""
    return os.path.join(find_held_out_root(app), run_id, name_repository(app.root))


def find_held_out_root(app: App) -> str:
    return os.path.join(layout.state_home(app.world.environ), "held_out")


def find_slots(app: App) -> str:
    """Return the folder of our checkouts; what was judged last may still lie in them."""
    cache = os.path.join(cache_home(app.world.environ), _WITNESS)
    return os.path.join(cache, name_repository(app.root), SLOTS)


def open_worktrees(app: App, run_id: str) -> Worktrees:
    """Open the worktrees in which the goals of a run are worked on."""
    named = os.path.basename(app.root).encode(errors="replace").decode()  # the ledger has it, too
    name = f"{named}-{sha256(os.fsencode(app.root))[:8]}"
    place = os.path.join(layout.state_home(app.world.environ), "worktrees", name)
    return Worktrees(app.root, place, run_id, partial(are_drivers_trusted, app))
