"""These functions open the ports of an App; their modules are loaded when one is first asked for.

So a command loads the witness, the worktrees and the keys only if it uses them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goalkeeper.wiring.campaigning import *  # noqa: F403
    from goalkeeper.wiring.certifying import *  # noqa: F403
    from goalkeeper.wiring.cleaning import *  # noqa: F403
    from goalkeeper.wiring.drafting import *  # noqa: F403
    from goalkeeper.wiring.driving import *  # noqa: F403
    from goalkeeper.wiring.holding import *  # noqa: F403
    from goalkeeper.wiring.judging import *  # noqa: F403
    from goalkeeper.wiring.projects import *  # noqa: F403
    from goalkeeper.wiring.stores import *  # noqa: F403
    from goalkeeper.wiring.trees import *  # noqa: F403

_MODULES = {
    "campaigning": (
        "audit_session",
        "make_branch",
        "open_campaigns",
        "open_parent",
        "explain_strange_commits",
        "find_checkout",
        "list_strange_commits",
        "is_run_lost",
        "find_push_target",
        "list_moved_refs",
        "list_uncommitted",
        "open_preflight",
        "push_head",
        "open_queue",
        "read_worked_plans",
        "release_goals",
    ),
    "certifying": ("certify_campaign",),
    "cleaning": ("clean_up", "find_garbage", "measure_disk"),
    "drafting": ("open_draft_deps",),
    "driving": (
        "hold_review_lock",
        "open_driver",
        "open_history",
        "open_lanes",
        "open_planning",
        "open_review_lanes",
    ),
    "holding": ("begin_hold", "end_hold", "prove_hold"),
    "judging": (
        "find_reviewed_work",
        "has_signed_receipt",
        "open_judge_context",
        "open_memory",
        "open_plan_deps",
        "open_witness",
        "read_any_settings",
        "read_other_plans",
        "require_evidence",
    ),
    "projects": ("detect_here", "explain_unisolated", "read_project_files", "try_project"),
    "stores": (
        "find_program",
        "has_trust",
        "hold_user_lock",
        "open_holds",
        "open_keys",
        "open_missing_criteria",
        "open_trusted_settings",
        "read_defaults",
        "read_settings",
    ),
    "trees": ("open_trees", "open_worktrees", "take_snapshot"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401  Python asks for what the module does not hold
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"goalkeeper.wiring.{module}"), name)
    raise AttributeError(name)
