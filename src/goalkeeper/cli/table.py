"""The table of commands: what each is for, and which module of `cli/commands` answers it.

A module says beside its functions what they take: in `OPTIONS`, by command where it answers
several, or in `VERBS`. The overview needs only this table; a command needs its own module, too.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from goalkeeper.cli.options import add_options
from goalkeeper.cli.parsing import Parser
from goalkeeper.wire.value import Value


class CommandRow(Value):
    module: str
    example: str
    summary: str


COMMANDS: dict[str, CommandRow] = {
    "init": CommandRow("upkeep.init", "goalkeeper init --yes",
        "Prepare this repository: state directory and config.toml from what is found."),
    "create-goals": CommandRow("plan.create_goals",
        'goalkeeper create-goals --brief "Parse the intake CSVs"\n'
        "goalkeeper create-goals --brief-file brief.md\n"
        "cat brief.md | goalkeeper create-goals --from-stdin --json",
        "Turn a brief into a durable plan of goals."),
    "status": CommandRow("plan.status", "goalkeeper status --json",
        "Show the plan: every goal, where it stands and why. Changes nothing."),
    "complete-goals": CommandRow("plan.complete_goals",
        "goalkeeper complete-goals\ngoalkeeper complete-goals --retry-failed",
        "Start the next goal, or repeat the active one, and print its hand-off."),
    "checkpoint": CommandRow("plan.checkpoint",
        'goalkeeper checkpoint --goal-id G001 --status failed --evidence "3 tests fail in test_io"',
        "Record how the active goal ended: complete, failed or blocked."),
    "draft": CommandRow("drive.draft",
        'goalkeeper draft "Amounts may carry thousands separators" --out brief.md',
        "Have a contract drafted by examiners and tried by the witness, and do nothing else."),
    "run": CommandRow("drive.run",
        'goalkeeper run "Amounts may carry thousands separators"\n'
        "goalkeeper run --agent claude --max-iterations 5 --max-cost 10\n"
        "goalkeeper run --brief-file brief.md --agent codex",
        "Drive an agent through the plan until every goal is proven, or there is reason to stop."),
    "report": CommandRow("drive.report",
        "goalkeeper report\ngoalkeeper report --format junit > report.xml",
        "Say what is proven, what is not and why, and what it cost."),
    "land": CommandRow("drive.land", "goalkeeper land",
        "Merge the proven work of a run into the branch you are on."),
    "campaign": CommandRow("campaign.campaign",
        "goalkeeper campaign plan --from plan.md\ngoalkeeper campaign run --parallel 4",
        "Many sessions at once under one plan: plan, check, show, run, status, report, land."),
    "ulw": CommandRow("hold.ulw", "goalkeeper ulw status",
        "Ultrawork: hold a client's session until its goal is proven. on, off, status, prove."),
    "install": CommandRow("hold.installs", "goalkeeper install claude",
        "Put goalkeeper's hooks, commands and skills into a client."),
    "uninstall": CommandRow("hold.installs", "goalkeeper uninstall claude",
        "Take them out again; what was there before is there again."),
    "doctor": CommandRow("hold.installs", "goalkeeper doctor",
        "Try what is installed in clients: does it run, is it trusted, doubled, slow?"),
    "blocked": CommandRow("plan.blockers",
        'goalkeeper blocked --goal-id G001 --as needs-human --evidence "it needs an API key"',
        "End honestly: say that a goal cannot be met, and why."),
    "trust": CommandRow("upkeep.trust", "goalkeeper trust\ngoalkeeper trust --state",
        "Show what this repository's settings run and loosen, and let it count: yours to confirm."),
    "agents": CommandRow("drive.agents",
        "goalkeeper agents list\ngoalkeeper agents probe --agent claude --json",
        "Which agents can be driven here: list, probe."),
    "judge": CommandRow("proof.judge", "goalkeeper judge --goal-id G001 --json",
        "Run every check of a goal where the worker cannot reach, and record what was seen."),
    "verify": CommandRow("proof.verify",
        "goalkeeper verify --goal-id G001 --answers .goalkeeper/cache/answers.json\n"
        "goalkeeper verify --goal-id G001 --criterion C2 --confirm --evidence 'seen in Firefox'",
        "Verify a goal that no command settles alone: run its checks, then take your answers."),
    "due": CommandRow("plan.due", "goalkeeper due && goalkeeper complete-goals",
        "List recurring goals: what is due, since when, and the streaks. Exit 1: nothing is."),
    "why": CommandRow("plan.why", "goalkeeper why\ngoalkeeper why G001",
        "Say what of a goal is unproven, since when, what was tried, what would prove it."),
    "contract": CommandRow("proof.contract", "goalkeeper contract check --goal-id G001",
        "What must be true for a goal to be met: check, show, freeze, amend."),
    "audit": CommandRow("proof.audit",
        "goalkeeper audit --goal-id G001\ngoalkeeper audit --goal-id G001 --sarif > audit.sarif",
        "Read the change for a goal: manifest, scope, tampering. Runs no test."),
    "let-stand": CommandRow("proof.let_stand",
        "goalkeeper let-stand --goal-id G001 --finding skip-added --path tests/test_io.py \\\n"
        '  --reason "The brief asks to skip it on Windows, where there are no pipes."',
        "Answer a question about the change with a reason; a human also lets stand what blocks."),
    "quality-gate": CommandRow("proof.quality_gate",
        "goalkeeper quality-gate validate --goal-id G001 --quality-gate-json gate.json",
        "What reviewers hand in for the strict gate: init, validate, schema."),
    "lanes": CommandRow("proof.lanes",
        "goalkeeper lanes run --goal-id G001 --role architect --agent claude",
        "Reviews by processes that goalkeeper starts itself: run, show, schema."),
    "review": CommandRow("proof.review",
        "goalkeeper review --branch feature --spec spec.md\n"
        "goalkeeper review --branch feature --spec spec.md --gate strict --agent claude",
        "Put work that is there already through the gate: branch, pull request, worktree."),
    "receipt": CommandRow("receipts.receipt",
        "goalkeeper receipt verify\ngoalkeeper receipt export --out receipt.json",
        "Signed statements that a gate was passed: list, show, verify, export, attach, issue."),
    "verify-receipt": CommandRow("receipts.verify_receipt",
        "goalkeeper verify-receipt receipt.json --key them.pub --policy policy.toml\n"
        "goalkeeper verify-receipt --print-script > verify_receipt.py\n"
        "python3 -I verify_receipt.py --key them.pub",
        "Verify somebody's receipt for a commit, from a file or its git note. Asks no ledger."),
    "keys": CommandRow("receipts.keys", "goalkeeper keys export > goalkeeper.pub",
        "Keys that receipts are signed with: list, rotate, export."),
    "explain": CommandRow("proof.explain",
        "goalkeeper explain test-removed\ngoalkeeper explain G001",
        "Say what a rule looks for, with an example; or what was looked at for a goal's verdicts."),
    "schema": CommandRow("upkeep.schema", "goalkeeper schema contract",
        "Print the JSON Schema of a contract, or of answers."),
    "unblock": CommandRow("plan.blockers",
        'goalkeeper unblock --goal-id G002 --evidence "the test server answers again"',
        "Let work on a blocked goal go on, with evidence of what changed."),
    "steer": CommandRow("plan.steer",
        "goalkeeper steer --kind add_subgoal --title 'Investigate blocker' \\\n"
        "  --objective 'Find out why the import stalls.' \\\n"
        "  --evidence 'import.log line 40' --rationale 'It decides the order of the rest.'",
        "Change the plan for a reason: add, split, reorder, reword, annotate, supersede."),
    "record-review-blockers": CommandRow("plan.blockers",
        "goalkeeper record-review-blockers --goal-id G001 --title 'Resolve review findings' \\\n"
        "  --objective 'Handle empty files' --evidence 'reviewer: crash on an empty file'",
        "Turn review findings about a goal into a blocker goal that must be settled first."),
    "classify-blocker": CommandRow("plan.blockers",
        "goalkeeper classify-blocker --classification human_blocked --goal-id G002 \\\n"
        "  --evidence 'needs the production API key'",
        "Say whether a blocker can be resolved here or only by a human."),
    "goal": CommandRow("plan.goal", "goalkeeper goal get --json",
        "What a client holds as its goal: get, create, complete, drop, pause, resume."),
    "guard": CommandRow("plan.guard", "goalkeeper guard ask",
        "May an agent ask the user, or pause the run, now? Exit 0 yes, 1 no."),
    "ledger": CommandRow("upkeep.ledger",
        "goalkeeper ledger verify\ngoalkeeper ledger show --goal G001 --since 12",
        "Verify, show or export the ledger."),
    "state": CommandRow("upkeep.state", "goalkeeper state doctor",
        "Look after the state: doctor, repair, clear, handoff, write."),
    "clean": CommandRow("upkeep.clean", "goalkeeper clean --dry-run",
        "Remove what nothing needs any more: old evidence, checkouts, branches, leftovers."),
    "bench": CommandRow("upkeep.bench", "goalkeeper bench foulplay",
        "Measure how often gates err: cheats let through, honest work turned away."),
    "demo": CommandRow("drive.demo", "goalkeeper demo",
        "See it at work: an agent that lies three times, and a referee. Needs no key."),
    "completion": CommandRow("upkeep.completion", 'eval "$(goalkeeper completion bash)"',
        "Print a completion script for a shell."),
}  # fmt: skip


# The first help shows what people need to begin; the order is that of a first hour.
FOR_PEOPLE = (
    "init", "draft", "run", "status", "why", "report", "land", "review", "ulw", "install", "doctor",
    "clean",
)  # fmt: skip
# `goalkeeper agent --help` shows what agents and scripts call; skills and hand-offs name these.
FOR_AGENTS = (
    "create-goals", "status", "complete-goals", "contract", "judge", "why", "verify", "audit",
    "explain", "let-stand", "quality-gate", "lanes", "checkpoint", "blocked", "unblock", "steer",
    "record-review-blockers", "classify-blocker", "goal", "guard", "due", "receipt", "ledger",
    "state", "schema",
)  # fmt: skip


def load_module(name: str) -> ModuleType:
    return import_module(f"goalkeeper.cli.commands.{COMMANDS[name].module}")


@cache  # a process that runs many commands makes each parser once
def parser_for(name: str) -> Parser:
    row = COMMANDS[name]
    parser = Parser(f"goalkeeper {name}", summary=row.summary, example=row.example)
    return _fill(parser, name)


def whole_parser() -> Parser:
    """Make one parser of all commands, for shell completion."""
    whole = Parser("goalkeeper", summary="", example="goalkeeper status")
    for name, row in COMMANDS.items():
        _fill(whole.verb(name, summary=row.summary, example=row.example), name)
    return whole


def _fill(parser: Parser, name: str) -> Parser:
    module = load_module(name)
    for each, verb in getattr(module, "VERBS", {}).items():
        add_options(parser.verb(each, summary=verb.summary, example=verb.example), verb.options)
    options = getattr(module, "OPTIONS", ())
    add_options(parser, options[name] if isinstance(options, dict) else options)
    return parser
