"""The table of commands. Only the module of the command that is called is imported."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class CommandSpec(Value):
    module: str
    summary: str
    example: str


COMMANDS: dict[str, CommandSpec] = {
    "init": CommandSpec(
        "upkeep.init",
        "Prepare this repository: state directory and config.toml from what is found.",
        "goalkeeper init --yes",
    ),
    "create-goals": CommandSpec(
        "plan.create_goals",
        "Turn a brief into a durable plan of goals.",
        'goalkeeper create-goals --brief "Parse the intake CSVs"\n'
        "goalkeeper create-goals --brief-file brief.md\n"
        "cat brief.md | goalkeeper create-goals --from-stdin --json",
    ),
    "status": CommandSpec(
        "plan.status",
        "Show the plan: every goal, where it stands and why. Changes nothing.",
        "goalkeeper status --json",
    ),
    "complete-goals": CommandSpec(
        "plan.complete_goals",
        "Start the next goal, or repeat the active one, and print its hand-off.",
        "goalkeeper complete-goals\ngoalkeeper complete-goals --retry-failed",
    ),
    "checkpoint": CommandSpec(
        "plan.checkpoint",
        "Record how the active goal ended: complete, failed or blocked.",
        'goalkeeper checkpoint --goal-id G001 --status failed --evidence "3 tests fail in test_io"',
    ),
    "run": CommandSpec(
        "drive.run",
        "Drive an agent through the plan until every goal is proven, or there is reason to stop.",
        "goalkeeper run --agent claude --max-iterations 5 --max-cost 10\n"
        "goalkeeper run --brief-file brief.md --agent codex",
    ),
    "report": CommandSpec(
        "drive.report",
        "Say what is proven, what is not and why, and what it cost.",
        "goalkeeper report\ngoalkeeper report --format junit > report.xml",
    ),
    "land": CommandSpec(
        "drive.land",
        "Merge the proven work of a run into the branch you are on.",
        "goalkeeper land",
    ),
    "ulw": CommandSpec(
        "hold.ulw",
        "Ultrawork: hold a client's session until its goal is proven. on, off, status, prove.",
        "goalkeeper ulw status",
    ),
    "install": CommandSpec(
        "hold.install",
        "Put goalkeeper's hooks, commands and skills into a client.",
        "goalkeeper install claude",
    ),
    "uninstall": CommandSpec(
        "hold.uninstall",
        "Take them out again; what was there before is there again.",
        "goalkeeper uninstall claude",
    ),
    "doctor": CommandSpec(
        "hold.doctor",
        "Try what is installed in clients: does it run, is it trusted, doubled, slow?",
        "goalkeeper doctor",
    ),
    "blocked": CommandSpec(
        "plan.blocked",
        "End honestly: say that a goal cannot be met, and why.",
        'goalkeeper blocked --goal-id G001 --as needs-human --evidence "it needs an API key"',
    ),
    "agents": CommandSpec(
        "drive.agents",
        "Which agents can be driven here: list, probe.",
        "goalkeeper agents list\ngoalkeeper agents probe --agent claude --json",
    ),
    "judge": CommandSpec(
        "proof.judge",
        "Run every check of a goal where the worker cannot reach, and record what was seen.",
        "goalkeeper judge --goal-id G001 --json",
    ),
    "verify": CommandSpec(
        "proof.verify",
        "Verify a goal that no command settles alone: run its checks, then take your answers.",
        "goalkeeper verify --goal-id G001 --answers .goalkeeper/cache/answers.json\n"
        "goalkeeper verify --goal-id G001 --criterion C2 --confirm --evidence 'seen in Firefox'",
    ),
    "due": CommandSpec(
        "plan.due",
        "List recurring goals: what is due, since when, and the streaks. Exit 1: nothing is.",
        "goalkeeper due && goalkeeper complete-goals",
    ),
    "why": CommandSpec(
        "plan.why",
        "Say what of a goal is unproven, since when, what was tried, what would prove it.",
        "goalkeeper why G001",
    ),
    "contract": CommandSpec(
        "proof.contract",
        "What must be true for a goal to be met: check, show, freeze, amend.",
        "goalkeeper contract check --goal-id G001",
    ),
    "audit": CommandSpec(
        "proof.audit",
        "Read the change for a goal: manifest, scope, tampering. Runs no test.",
        "goalkeeper audit --goal-id G001\ngoalkeeper audit --goal-id G001 --sarif > audit.sarif",
    ),
    "quality-gate": CommandSpec(
        "proof.quality_gate",
        "What reviewers hand in for the strict gate: init, validate, schema.",
        "goalkeeper quality-gate validate --goal-id G001 --quality-gate-json gate.json",
    ),
    "lanes": CommandSpec(
        "proof.lanes",
        "Reviews by processes that goalkeeper starts itself: run, show, schema.",
        "goalkeeper lanes run --goal-id G001 --role architect --agent claude",
    ),
    "review": CommandSpec(
        "proof.review",
        "Put work that is there already through the strict gate: branch, pull request, worktree.",
        "goalkeeper review --branch feature --spec spec.md --executor-qa-json qa.json",
    ),
    "receipt": CommandSpec(
        "receipts.receipt",
        "Signed statements that a gate was passed: list, show, verify, export, attach, issue.",
        "goalkeeper receipt verify\ngoalkeeper receipt export --out receipt.json",
    ),
    "verify-receipt": CommandSpec(
        "receipts.verify_receipt",
        "Verify somebody's receipt for a commit, from a file or its git note. Asks no ledger.",
        "goalkeeper verify-receipt receipt.json --key them.pub --policy policy.toml\n"
        "goalkeeper verify-receipt --print-script > verify_receipt.py",
    ),
    "keys": CommandSpec(
        "receipts.keys",
        "Keys that receipts are signed with: list, rotate, export.",
        "goalkeeper keys export > goalkeeper.pub",
    ),
    "explain": CommandSpec(
        "proof.explain",
        "Say what a rule of the audit looks for, with an example.",
        "goalkeeper explain test-removed",
    ),
    "schema": CommandSpec(
        "upkeep.schema",
        "Print the JSON Schema of a contract, or of answers.",
        "goalkeeper schema contract",
    ),
    "unblock": CommandSpec(
        "plan.unblock",
        "Make a blocked goal active again, with evidence of what changed.",
        'goalkeeper unblock --goal-id G002 --evidence "the test server answers again"',
    ),
    "steer": CommandSpec(
        "plan.steer",
        "Change the plan for a reason: add, split, reorder, reword, annotate, supersede.",
        "goalkeeper steer --kind add_subgoal --title 'Investigate blocker' \\\n"
        "  --objective 'Find out why the import stalls.' \\\n"
        "  --evidence 'import.log line 40' --rationale 'It decides the order of the rest.'",
    ),
    "record-review-blockers": CommandSpec(
        "plan.record_review_blockers",
        "Turn review findings about a goal into a blocker goal that must be settled first.",
        "goalkeeper record-review-blockers --goal-id G001 --title 'Resolve review findings' \\\n"
        "  --objective 'Handle empty files' --evidence 'reviewer: crash on an empty file'",
    ),
    "classify-blocker": CommandSpec(
        "plan.classify_blocker",
        "Say whether a blocker can be resolved here or only by a human.",
        "goalkeeper classify-blocker --classification human_blocked --goal-id G002 \\\n"
        "  --evidence 'needs the production API key'",
    ),
    "goal": CommandSpec(
        "plan.goal",
        "What a client holds as its goal: get, create, complete, drop, pause, resume.",
        "goalkeeper goal get --json",
    ),
    "guard": CommandSpec(
        "plan.guard",
        "May an agent ask the user, or pause the run, now? Exit 0 yes, 1 no.",
        "goalkeeper guard ask",
    ),
    "ledger": CommandSpec(
        "upkeep.ledger",
        "Verify, show or export the ledger.",
        "goalkeeper ledger verify\ngoalkeeper ledger show --goal G001 --since 12",
    ),
    "state": CommandSpec(
        "upkeep.state",
        "Look after the state: doctor, repair, clear, handoff, write.",
        "goalkeeper state doctor",
    ),
    "bench": CommandSpec(
        "upkeep.bench",
        "Measure how often gates err: cheats let through, honest work turned away.",
        "goalkeeper bench foulplay",
    ),
    "demo": CommandSpec(
        "drive.demo",
        "See it at work: an agent that lies three times, and a referee. Needs no key.",
        "goalkeeper demo",
    ),
    "completion": CommandSpec(
        "upkeep.completion",
        "Print a completion script for a shell.",
        'eval "$(goalkeeper completion bash)"',
    ),
}
