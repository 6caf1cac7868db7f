"""Master plans and session specs, as people and agents write them, become plans."""

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.campaign.document import read_plan, read_specs
from goalkeeper.core.campaign.plan import (
    Complexity,
    MasterPlan,
    PlannedCommand,
    PlannedSession,
    PlannedStep,
)
from goalkeeper.core.contract.on_failure import OnFailure
from tests.tables import for_each
from tests.unit.core.campaign.bad_plans import problems, read
from tests.unit.core.campaign.written_plans import SEED_SPEC, TRICKY, without_lines

TWO_STEPS = """\
# Prices

Plan version: 1.7

## Context

Why it is done.

### Before

What was before.

## Step 1: Prices in the answer

- Files: src/api.py, src/shop.py
- Changes: add a field
- Verify: pytest -q → expected: 3 passed
- On failure: revert — and tell
- Checkpoint: git commit -m "feat: prices"

## Step 2: Docs

- Files: docs/api.md
- Verify: make docs → expected: no warnings
- Depends on: Step 1
"""
SESSIONS = """\
plan_version: 1.7
Shared files: `uv.lock`, CHANGELOG.md

# Session 1: One
## Scope Fence
- Touch: a.py
## Step 1: First
- Verify: `true`
## Exit Condition
- `make a`

# Session 2: Two
## Exit Condition
- `make b`
### Dependencies
- Depends on: Session 1
#### Scope Fence
- Touch: b.py
- Never touch: a.py
# Steps
Step 1: Second
- Verify: `false`
"""


def step_of(fields: str) -> PlannedStep:
    return read(f"### Step 1: S\n{fields}\n").steps[0]


def session_of(body: str) -> PlannedSession:
    return read(f"# Session 1: S\n{body}\n## Step 1: x\n").sessions[0]


def test_a_spec_in_the_shape_of_the_template_is_read_whole() -> None:
    plan = read(SEED_SPEC)

    session = plan.sessions[0]
    first, second = session.steps
    assert (plan.path, plan.version) == ("plans/prices.md", "1.7")
    assert without_lines(session.replace(steps=())) == PlannedSession(
        id="S01",
        title="Prices in the API",
        steps=(),
        context="Prices are only on the pages of the shop. The API needs them too.",
        entry="the shop shows prices",
        touch=("src/api.py", "tests/test_api.py"),
        never=("src/shop.py",),
        exit=(PlannedCommand("pytest -q", "all pass"),),
        handoff="The API answers with prices.",
        complexity=Complexity.LOW,
        model="sonnet",
        rationale="it is small",
    )
    assert without_lines(first.replace(manifest="")) == PlannedStep(
        number=1,
        title="Prices in the answer",
        files=("src/api.py",),
        changes="add a field",
        reuses="format_price of src/shop.py",
        test_first="tests/test_api.py, the field is there",
        verify=(PlannedCommand("pytest -q tests/test_api.py", "3 passed"),),
        instructions="look at the pages of the shop",
        checkpoint="feat(api): prices",
    )
    assert second.verify == (PlannedCommand("pytest -q", "all pass", 81),)
    assert (second.on_failure, second.instructions) == (OnFailure.ESCALATE, "")
    assert second.checkpoint == "test(api): prices\n\nAll of them."
    assert second.manifest.startswith("manifest:\n  expected_paths:\n    - tests/test_api.py\n")


def test_steps_without_sessions_wait_in_the_plan() -> None:
    plan = read(TWO_STEPS)

    assert (plan.title, plan.version, plan.sessions) == ("Prices", "1.7", ())
    assert plan.context == "Why it is done.\n\n### Before\n\nWhat was before."
    assert [step.depends_on for step in plan.steps] == [(), (1,)]
    assert plan.steps[0].files == ("src/api.py", "src/shop.py")
    assert (plan.steps[0].on_failure, plan.steps[0].instructions) == (OnFailure.REVERT, "and tell")


@for_each(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("# Prices", "\ufeff# Prices"),
        ("\n- ", "\n* "),
        ("\n- ", "\n  • "),
        ("## Step", "#### Step"),
        ("## Step", "Step"),
        ("## Step 2:", "## Step 2 -"),
        ("## Step 2: Docs", "**Step 2. Docs**"),
        ("Verify:", "**Verify:**"),
        ("Verify:", "**Verify**:"),
        ("- Verify:", "#### Verify\n"),
        ("→", "->"),
        ("→", "=>"),
        (" → ", "\n  → "),
        ("pytest -q →", "`pytest -q` →"),
        ("src/api.py, src/shop.py", "`src/api.py` (new) and `src/shop.py`"),
        ("src/api.py, src/shop.py", "\n  - src/api.py — the answer, and more\n  - `src/shop.py`"),
        ("revert — and tell", "**Revert**: and tell"),
        ('git commit -m "feat: prices"', "`git add -A && git commit -am 'feat: prices'`"),
        ('git commit -m "feat: prices"', "feat: prices"),
        ("Depends on: Step 1", "Depends on: 1 (the answer)"),
        ("Plan version: 1.7", "> **Plan version:** 1.7"),
    ],
)
def test_the_form_may_differ(old: str, new: str) -> None:
    assert old in TWO_STEPS

    plan = read(TWO_STEPS.replace(old, new))

    assert without_lines(plan) == without_lines(read(TWO_STEPS))


@for_each(
    ("written", "commands"),
    [
        ("Verify: none", []),
        ("Verify: a\n- Reuses: b", [("a", "")]),
        ("Verify: `a \\| b` exits 0", [("a \\| b", "exits 0")]),
        ("Verify: run `a` (twice)", [("a", "(twice)")]),
        ("Verify:\n  - `a` → expected: `1`\n  - b → expected: 2", [("a", "`1`"), ("b", "2")]),
        ("Verify:\n  ```sh\n  cd a\n    b\n  ```\n  expected: c", [("cd a\n  b", "c")]),
        ("Verify:\n  ```\n  a → expected: 1\n  b\n  ```", [("a", "1"), ("b", "")]),
        ("Verify:\n\n  $ a\n  b \\\n    c\n", [("a", ""), ("b c", "")]),
        ("Verify: ``a `b` c`` -> expected: {}", [("a `b` c", "{}")]),
    ],
)
def test_commands_are_found_in_every_form(written: str, commands: list[tuple[str, str]]) -> None:
    found = step_of(f"- {written}").verify

    assert [(each.command, each.expected) for each in found] == commands


@for_each(
    ("written", "message"),
    [
        ("none (no file changes)", ""),
        ("`git commit -m 'a' -m \"b c\"` after all", "a\n\nb c"),
        ('"fix: say git commit in words"', "fix: say git commit in words"),
        ("\n  ```sh\n  git add -A\n  git commit --message='a\n  b'\n  ```", "a\nb"),
    ],
)
def test_the_message_of_a_checkpoint_is_found(written: str, message: str) -> None:
    assert step_of(f"- Checkpoint: {written}").checkpoint == message


def test_a_manifest_is_kept_word_for_word() -> None:
    words = "manifest:\n    expected_paths:   # odd\n     - \"a\"\n\n    files: ''\t\n  \nlast: `x`"
    indented = "\n".join(f"      {line}" for line in words.split("\n"))

    assert step_of(f"- Manifest:\n  ~~~yaml\n{indented}\n  ~~~\n- Reuses: x").manifest == words
    assert step_of(f"- Manifest:\n{indented}\n- Reuses: x").manifest == words


def test_a_fenced_contract_belongs_to_its_step() -> None:
    step = step_of("- Changes: a\n  b\n```contract\ncriteria: []\n```\n- Verify: `c`")

    assert (step.contract, step.changes) == ("criteria: []", "a\nb")


def test_words_around_the_fields_of_a_step_are_not_lost() -> None:
    step = step_of("Before.\n\n- Changes: a\n- Notes: x\n- Verify: `c`\n\nBehind.")

    assert step.changes == "Before.\n\n- Notes: x\nBehind.\n\na"
    assert step.verify == (PlannedCommand("c", "", 6),)


def test_sections_of_a_session_stand_in_any_order_and_at_any_level() -> None:
    plan = read(SESSIONS)

    one, two = plan.sessions
    assert (one.id, two.id, plan.version) == ("S01", "S02", "1.7")
    assert plan.shared == ("uv.lock", "CHANGELOG.md")
    assert (two.depends_on, two.touch, two.never) == (("S01",), ("b.py",), ("a.py",))
    assert [each.command for session in plan.sessions for each in session.exit] == [
        "make a",
        "make b",
    ]


@for_each(
    ("written", "expected"),
    [
        ("none — can run in parallel", ()),
        ("Session 1, Session 2", ("S01", "S02")),
        ("S01 and S2", ("S01", "S02")),
        ("Sessions 1–2 — both must have landed", ("S01", "S02")),
        ("\n  - Session 2 (the docs, and 7 files)", ("S02",)),
    ],
)
def test_sessions_are_named_in_many_ways(written: str, expected: tuple[str, ...]) -> None:
    others = "".join(f"# Session {n}: o\n## Step 1: x\n" for n in (1, 2))
    plan = read(f"{others}# Session 3: c\n- Depends on: {written}\n## Step 1: x\n")

    assert plan.sessions[2].depends_on == expected


def test_a_session_that_blocks_another_comes_before_it() -> None:
    text = SESSIONS.replace("- Touch: a.py", "- Touch: a.py\n## Dependencies\n- Blocks: Session 2")

    assert read(text.replace("- Depends on: Session 1\n", "")).sessions[1].depends_on == ("S01",)
    assert problems(text.replace("Blocks: Session 2", "Blocks: S02\n- Depends on: 2")) == [
        "line 8: Session 1 depends on Session 2, and blocks it"
    ]


def test_an_entry_condition_may_give_commands() -> None:
    session = session_of("- Entry condition: all is `green`\n  - `make`\n  - a -> expected: b")

    assert session.entry == "all is `green`"
    assert [(each.command, each.expected) for each in session.entry_commands] == [
        ("make", ""),
        ("a", "b"),
    ]


def test_what_nobody_may_touch_anyway_need_not_be_in_the_repository() -> None:
    session = session_of("- Never touch: ~/.ssh, .git/hooks, src/b\n  - everything else")

    assert session.never == ("src/b",)


def test_sessions_take_steps_of_the_plan_by_number() -> None:
    text = TWO_STEPS.replace("Plan version: 1.7", "") + (
        "## Risks\n- none: at all\n## Execution Strategy\n"
        "### Session 1: All\n- **Steps:** 2\n- **Wave:** 1\n### Order\n- **Wave 1:** Session 1\n"
    )
    plan = read(text)

    assert [step.number for step in plan.steps] == [1]
    assert [step.number for step in plan.sessions[0].steps] == [2]
    assert plan.sessions[0].context == ""


def test_goals_group_the_steps_below_them() -> None:
    plan = read("## Goals\n- fast\n- small\n## Goal G1: fast\n### Step 1: a\n### Step 2: b\n"
                  "- Goal: small\n")  # fmt: skip

    assert plan.goals == ("fast", "small")
    assert [step.goal for step in plan.steps] == ["fast", "small"]


def test_a_plan_without_a_version_is_a_legacy_plan() -> None:
    assert read("Step 1: a\n").is_legacy
    assert read("# Session 1: a\n## Step 1: x\n").is_legacy
    assert read("---\nplan_version: 1.10\n---\nStep 1: a\n").version == "1.10"
    assert problems("Plan version: 1.7\n# Session 1: a\n## Step 1: x\n") == [
        "line 2: Session 1 has no section Scope Fence",
        "line 2: Session 1 has no section Exit Condition",
    ]


@given(st.lists(st.sampled_from([*TRICKY, *SEED_SPEC.split("\n")]) | st.text(), max_size=30))
def test_no_text_is_too_odd_to_be_answered(lines: list[str]) -> None:
    found = read_plan("\n".join(lines))

    assert isinstance(found, MasterPlan) or all(problem.message for problem in found)
    read_specs({"a": "\n".join(lines)})
