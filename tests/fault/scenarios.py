"""Every command that changes something, and a state in which it does."""

from pathlib import Path
from typing import NamedTuple

from tests.fault.rig import BRIEF, WHY, Argv, Repo, planned

CREATE: Argv = ("create-goals", "--gate", "standard", "--brief", BRIEF)
START: Argv = ("complete-goals",)
FAIL: Argv = ("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "2 tests fail")
BLOCK: Argv = ("checkpoint", "--goal-id", "G001", "--status", "blocked", "--evidence", "no server")
BLOCK_BLOCKER: Argv = (
    "checkpoint", "--goal-id", "G004", "--status", "blocked", "--evidence", "no reviewer",
)  # fmt: skip
REVIEW: Argv = (
    "record-review-blockers", "--goal-id", "G001", "--title", "Empty files",
    "--objective", "Handle empty files", "--evidence", "it crashes on an empty file",
)  # fmt: skip
CLASSIFY: Argv = ("classify-blocker", "--classification", "human_blocked", "--evidence", "a key")
HOLD: Argv = ("goal", "create")
HAND_OFF: Argv = ("state", "handoff", "--to", "planning")
ADD: Argv = ("steer", "--kind", "add_subgoal", "--title", "Four", "--objective", "Do four.", *WHY)
SPLIT_INTO = '[{"title":"A","objective":"Do a."},{"title":"B","objective":"Do b."}]'
CLEAR: Argv = ("state", "clear", "--force", "--mode", "ultragoal")
REPAIR: Argv = ("state", "repair")


def _steer(kind: str, *options: str) -> Argv:
    return ("steer", "--kind", kind, *options, *WHY)


# Records two events: the blocker is superseded, and the goal it blocked is open again.
TO_SUPERSEDE_BLOCKER: tuple[Argv, ...] = (CREATE, START, REVIEW, START, BLOCK_BLOCKER)
SUPERSEDE_BLOCKER = _steer("mark_blocked_superseded", "--goal-id", "G004")


class Scenario(NamedTuple):
    """`repeat_codes`: how a repeat may end once the command has happened."""

    name: str
    before: tuple[Argv, ...]
    command: Argv
    repeat_codes: frozenset[int] = frozenset({0})
    session: str = ""

    def prepare(self, root: Path) -> Repo:
        if self.before and self.before[0] == CREATE:
            return planned(root, *self.before[1:], session=self.session)
        repo = Repo(root, session=self.session)
        for command in self.before:
            repo.did(*command)
        return repo


SCENARIOS = (
    Scenario("create-goals", (), CREATE, frozenset({1})),
    Scenario("create-goals-for-a-session", (), CREATE, frozenset({1}), "s1"),
    Scenario("create-goals-archive", (CREATE, START), (*CREATE, "--archive", "a better plan")),
    Scenario("complete-goals", (CREATE,), START),
    Scenario("complete-goals-after-a-handoff", (CREATE, HAND_OFF), START),
    Scenario("complete-goals-retry", (CREATE, START, FAIL), (*START, "--retry-failed")),
    Scenario("checkpoint-failed", (CREATE, START), FAIL),
    Scenario("checkpoint-blocked", (CREATE, START), BLOCK),
    Scenario("unblock", (CREATE, START, BLOCK),
             ("unblock", "--goal-id", "G001", "--evidence", "it answers"), frozenset({1})),
    Scenario("steer-add", (CREATE,), ADD),
    Scenario("steer-split", (CREATE,),
             _steer("split_subgoal", "--goal-id", "G002", "--replacements-json", SPLIT_INTO)),
    Scenario("steer-reorder", (CREATE,),
             _steer("reorder_pending", "--order-json", '["G003","G001","G002"]')),
    Scenario("steer-revise", (CREATE,),
             _steer("revise_pending_wording", "--goal-id", "G002", "--title", "Second")),
    Scenario("steer-annotate", (CREATE,), _steer("annotate_ledger")),
    Scenario("steer-supersede", (CREATE, START, BLOCK),
             _steer("mark_blocked_superseded", "--goal-id", "G001")),
    Scenario("steer-supersede-a-blocker", TO_SUPERSEDE_BLOCKER,
             SUPERSEDE_BLOCKER),
    Scenario("steer-rejected", (CREATE, START),
             _steer("mark_blocked_superseded", "--goal-id", "G001"), frozenset({1})),
    Scenario("record-review-blockers", (CREATE, START), REVIEW),
    Scenario("classify-blocker", (CREATE,), CLASSIFY),
    Scenario("goal-create", (CREATE,), HOLD),
    Scenario("goal-drop", (CREATE, HOLD), ("goal", "drop")),
    Scenario("goal-pause", (CREATE, HOLD, CLASSIFY), ("goal", "pause")),
    Scenario("state-handoff", (CREATE,), HAND_OFF),
    Scenario("state-clear", (CREATE, START), CLEAR, frozenset({2})),
)  # fmt: skip
