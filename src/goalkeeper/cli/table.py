"""The table of commands. Only the module of the command that is called is imported."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class CommandSpec(Value):
    module: str
    summary: str
    example: str


COMMANDS: dict[str, CommandSpec] = {
    "init": CommandSpec(
        "init",
        "Prepare this repository: state directory and config.toml from what is found.",
        "goalkeeper init --yes",
    ),
    "create-goals": CommandSpec(
        "create_goals",
        "Turn a brief into a durable plan of goals.",
        'goalkeeper create-goals --brief "Parse the intake CSVs"\n'
        "goalkeeper create-goals --brief-file brief.md\n"
        "cat brief.md | goalkeeper create-goals --from-stdin --json",
    ),
    "status": CommandSpec(
        "status",
        "Show the plan: every goal, where it stands and why. Changes nothing.",
        "goalkeeper status --json",
    ),
    "complete-goals": CommandSpec(
        "complete_goals",
        "Start the next goal, or repeat the active one, and print its hand-off.",
        "goalkeeper complete-goals\ngoalkeeper complete-goals --retry-failed",
    ),
    "checkpoint": CommandSpec(
        "checkpoint",
        "Record how the active goal ended: complete, failed or blocked.",
        'goalkeeper checkpoint --goal-id G001 --status failed --evidence "3 tests fail in test_io"',
    ),
    "unblock": CommandSpec(
        "unblock",
        "Make a blocked goal active again, with evidence of what changed.",
        'goalkeeper unblock --goal-id G002 --evidence "the test server answers again"',
    ),
    "steer": CommandSpec(
        "steer",
        "Change the plan for a reason: add, split, reorder, reword, annotate, supersede.",
        "goalkeeper steer --kind add_subgoal --title 'Investigate blocker' \\\n"
        "  --objective 'Find out why the import stalls.' \\\n"
        "  --evidence 'import.log line 40' --rationale 'It decides the order of the rest.'",
    ),
    "record-review-blockers": CommandSpec(
        "record_review_blockers",
        "Turn review findings about a goal into a blocker goal that must be settled first.",
        "goalkeeper record-review-blockers --goal-id G001 --title 'Resolve review findings' \\\n"
        "  --objective 'Handle empty files' --evidence 'reviewer: crash on an empty file'",
    ),
    "classify-blocker": CommandSpec(
        "classify_blocker",
        "Say whether a blocker can be resolved here or only by a human.",
        "goalkeeper classify-blocker --classification human_blocked --goal-id G002 \\\n"
        "  --evidence 'needs the production API key'",
    ),
    "goal": CommandSpec(
        "goal",
        "What a client holds as its goal: get, create, complete, drop, pause, resume.",
        "goalkeeper goal get --json",
    ),
    "guard": CommandSpec(
        "guard",
        "May an agent ask the user, or pause the run, now? Exit 0 yes, 1 no.",
        "goalkeeper guard ask",
    ),
    "ledger": CommandSpec(
        "ledger",
        "Verify, show or export the ledger.",
        "goalkeeper ledger verify\ngoalkeeper ledger show --goal G001 --since 12",
    ),
    "state": CommandSpec(
        "state",
        "Look after the state: doctor, repair, clear, handoff, write.",
        "goalkeeper state doctor",
    ),
    "completion": CommandSpec(
        "completion",
        "Print a completion script for a shell.",
        'eval "$(goalkeeper completion bash)"',
    ),
}
