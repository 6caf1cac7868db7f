"""What is wrong with a plan is said at once, each with its line and in plain words."""

from goalkeeper.core.campaign.document import read_plan, read_specs
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.campaign.spec import write_spec
from tests.tables import for_each
from tests.unit.core.campaign.written_plans import SEED_SPEC, without_lines

AS_YAML = """\
plan_version: "1.7"
title: Prices
shared_files: [uv.lock]
sessions:
  - session: 1
    title: One
    dependencies: {depends_on: none, blocks: Session 2}
    scope_fence:
      touch: [src/a b.py]
      never_touch: none
    exit_condition:
      - command: pytest -q
        expected: ok
    metadata: {estimated_complexity: low, model_recommendation: opus — hard}
    steps:
      - step: 0
        title: generated
      - step: 1
        title: Do it
        files: src/a.py, src/b.py
        verify: "pytest -q → expected: 1 passed"
        on_failure: skip — it is small
        checkpoint: "feat: a"
        manifest:
          expected_paths:   # all of them
            - src/a.py
        contract: |
          criteria: []
  - session: S02
    title: Two
    scope_fence: {touch: [b]}
    exit_condition: ["`true`"]
    steps:
      - {step: 1, title: More, verify: ["a: b"]}
"""
AS_MARKDOWN = """\
---
plan_version: 1.7
title: Prices
shared_files: uv.lock
---
# Session 1: One
- Blocks: Session 2
## Scope Fence
- Touch: `src/a b.py`
## Step 1: Do it
- Files: src/a.py, src/b.py
- Verify: pytest -q → expected: 1 passed
- On failure: skip — it is small
- Checkpoint: feat: a
- Manifest:
  expected_paths:   # all of them
    - src/a.py
```contract
criteria: []
```
## Exit Condition
- `pytest -q` → expected: ok
## Metadata
- Complexity: low
- Model: opus — hard
# Session 2: Two
## Scope Fence
- Touch: b
## Step 1: More
- Verify: `a: b`
## Exit Condition
- `true`
"""
TEMPLATE = """\
# Session 1: {title}
## Context
{Why this session exists. What it is for.}
## Dependencies
- Depends on: {Session M | "none — can run in parallel"}
## Scope Fence
- Touch: {explicit list of files}
## Step 1: {description}
- Files: {path}
- Verify: {exact command} → expected: {output}
- On failure: {revert | retry | skip | escalate} — {specific instructions}
- Checkpoint: git commit -m "{message}"
- Manifest:
  ```yaml
  manifest:
    expected_paths:
      - {path}
  ```
## Exit Condition
- {verification command} → expected: {output}
## Metadata
- Estimated complexity: {low | medium | high}
- Model recommendation: {opus | sonnet} — {rationale}
"""
POLICIES = "revert, retry, skip, escalate"
SAID = "is not what the steps say"


def problems(text: str) -> list[str]:
    found = read_plan(text)
    assert isinstance(found, tuple), found
    return [str(problem) for problem in found]


def test_yaml_says_what_markdown_says() -> None:
    assert without_lines(read_plan(AS_YAML)) == without_lines(read_plan(AS_MARKDOWN))


def test_problems_of_yaml_have_their_lines() -> None:
    text = AS_YAML.replace("files: src", "fils: src").replace("skip —", "panic —")

    assert problems(text.replace("session: S02", "session: two")) == [
        "line 7: blocks: there is no Session 2",
        "line 20: unknown field 'fils'; did you mean files?",
        "line 22: on failure: 'panic' is none of revert, retry, skip, escalate",
        "line 29: a session or a step needs a whole number",
        "line 29: sessions are counted from 1",
    ]
    assert problems("steps: [\n") == ["line 2: not YAML: did not find expected node content"]


def test_everything_that_the_template_leaves_open_is_found_at_once() -> None:
    found = problems(TEMPLATE)

    lines = [int(problem.split(":")[0].removeprefix("line ")) for problem in found]
    assert lines == [1, 2, 5, 7, 8, 9, 10, 10, 11, 12, 17, 20, 20, 22, 23]
    assert all("template's" in problem for problem in found)
    assert found[0] == "line 1: the title of Session 1 is still the template's {title}"


@for_each(
    ("text", "expected"),
    [
        ("", ["plan: it is empty"]),
        ("\ufeff \r\n", ["plan: it is empty"]),
        ("prose\n", ["plan: it has no steps; a step begins with `Step 1: title`"]),
        ("Step 1: a\0", ["line 1: it has the character U+0000, which no plan needs"]),
        ("# Step 1\n", ["line 1: Step 1 has no title"]),
        ("Step 1: a\nStep 1: b\n", ["line 2: there is a Step 1 already"]),
        ("# Step: a\n", ["line 1: a step needs a whole number, as in `Step 1: title`"]),
        ("# Step 1.2: a\n", ["line 1: a step needs a whole number, as in `Step 1: title`"]),
        ("## Steps\n### Do\n- Verify: x\n", [
            "line 3: verify stands in no step; a step begins with `Step 1: title`"]),
        ("Step 1: a\n- On failure: panic\n", [
            f"line 2: on failure: 'panic' is none of {POLICIES}"]),
        ("Step 1: a\n- On failure: retri\n", [
            f"line 2: on failure: 'retri' is none of {POLICIES} (did you mean retry?)"]),
        ("Step 1: a\n- Verfiy: x\n", ["line 2: there is no field 'verfiy'; did you mean verify?"]),
        ("Step 1: a\n- Verify: x\n- Verify: y\n", [
            "line 3: verify is given twice, first on line 2"]),
        ("Step 1: a\n- Verify: `x` and `y`\n", [
            "line 2: several commands on one line; give each a line of its own"]),
        ("Step 1: a\n- Verify:\n  → expected: y\n", [
            "line 3: verify expects something, but of no command"]),
        ("Step 1: a\n- Files: the api\n", ["line 2: files: 'the api' is no path; back-ticks help"]),
        ("Step 1: a\n- Files: ../a\n", ["line 2: files: '../a' leads out of the repository"]),
        ("Step 1: a\n- Checkpoint: git commit -m 'x\n", [
            "line 2: checkpoint: a quote is never closed"]),
        ("Step 1: a\n- Checkpoint: git commit -a\n", [
            "line 2: checkpoint: the commit has no message (-m)"]),
        ("Step 1: a\n- Depends on: Step 1, 2, b\n", [
            "line 2: depends on: 'b' is no step; write Step 1, or none",
            "line 2: Step 1 depends on itself", "line 2: depends on: there is no Step 2"]),
        ("Step 1: a\n```contract\nx\n```\n```contract\ny\n```\n```sh\n", [
            "line 5: a step takes one contract, this is the second",
            "line 8: this block is never closed"]),
        ("# P\n## Exit Condition\n- `x`\n## Step 1: a\n", [
            "line 2: the section exit condition belongs to a session, and none has begun"]),
        ("# Session 1: a\n", ["line 1: Session 1 has no steps"]),
        ("# Session 0: a\n# Step 1: x\n", ["line 1: sessions are counted from 1"]),
        ("# Session: a\n# Step 1: x\n", [
            "line 1: a session needs a whole number, as in `Session 1: title`"]),
        ("# Session 1: a\n## Context\na\n## Context\nb\n# Step 1: x\n# Session 1: b\nStep 1: x\n", [
            "line 4: the section context stands here again; it began on line 2",
            "line 7: there is a Session 1 already"]),
        ("# Session 1: a\n## Exit Conditoin\n- `x`\n## Step 1: x\n", [
            "line 2: there is no section 'Exit Conditoin'; did you mean exit condition?"]),
        ("# Session 1: a\n- Depends on: S1, Session 2\n- Blocks: 3\n## Step 1: x\n", [
            "line 2: depends on: Session 1 names itself",
            "line 2: depends on: there is no Session 2",
            "line 3: blocks: there is no Session 3"]),
        ("# Session 1: a\n## Step 1: x\n## Exit Condition\n- all is well\n- `x`\n", [
            "line 4: exit condition: 'all is well' is no command; put a command in back-ticks"]),
        ("# Session 1: a\n- Complexity: hihg\n- Steps: 4\n", [
            "line 1: Session 1 has no steps",
            "line 2: complexity: 'hihg' is none of low, medium, high (did you mean high?)",
            "line 3: steps: the plan has no Step 4, or another session has it"]),
    ],
)  # fmt: skip
def test_a_problem_is_told_with_its_line(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


@for_each(
    ("old", "new", "line", "computed"),
    [
        ("    - src/api.py\n    - tests", "    - tests", 27,
         f"expected_paths {SAID} (src/api.py, tests/test_api.py)"),
        ("commit_count: 2", "commit_count: 3", 30, f"commit_count {SAID} (2)"),
        ('"^feat\\\\(api\\\\):"\n    -', '"^fix"\n    -', 31,
         f"commit_message_patterns {SAID} (^feat\\(api\\):, ^test\\(api\\):)"),
        ("scope_touch: []", "scope_touch: [/]", 35,
         f"scope_touch {SAID} (src/api.py, tests/test_api.py)"),
    ],
)  # fmt: skip
def test_a_session_manifest_that_somebody_edited_is_noticed(
    old: str, new: str, line: int, computed: str
) -> None:
    assert SEED_SPEC.count(old) == 1

    assert problems(SEED_SPEC.replace(old, new)) == [
        f"line {line}: session_manifest: {computed}: somebody edited it"
    ]


def test_patterns_of_a_session_manifest_stand_in_the_order_of_the_steps() -> None:
    first, second = (f'    - "^{kind}\\\\(api\\\\):"\n' for kind in ("feat", "test"))
    text = SEED_SPEC.replace(first + second, second + first)

    assert [problem.split(" is not")[0] for problem in problems(text)] == [
        "line 31: session_manifest: commit_message_patterns"
    ]


def test_a_session_manifest_that_is_not_yaml_is_told_with_its_line() -> None:
    assert problems(SEED_SPEC.replace("scope_touch: []", "scope_touch: [")) == [
        "line 37: not YAML: did not find expected ',' or ']'"
    ]


def test_specs_that_do_not_fit_together_are_refused_by_name() -> None:
    one = "# Session 1: a\n> Session 1 of 3\n## Step 1: x\n"
    two = "# Session 1: b\n> Session 2 of 3\n- Depends on: 4\n## Step 1: x\n"

    found = read_specs({"b.md": two, "a.md": one, "c.md": "# Notes\n", "d.md": "Step 1: x\n"})

    assert isinstance(found, tuple)
    assert [str(problem) for problem in found] == [
        "specs: there should be 3 sessions, and only 1, 1 are here",
        "b.md, line 1: there is a Session 1 already",
        "b.md, line 3: depends on: there is no Session 4",
        "c.md: it is no session spec; one begins with `Session 1: title`",
        "d.md: it is no session spec; one begins with `Session 1: title`",
        "d.md, line 1: this step belongs to no session",
    ]


def test_specs_of_two_versions_make_no_plan() -> None:
    plan = read_plan(SEED_SPEC)
    assert isinstance(plan, MasterPlan)
    spec = write_spec(plan, "S01").replace("Session 1 of 1", "")
    legacy = write_spec(plan.replace(version=""), "S01").replace("Session 1", "Session 2")
    found = read_specs({"a": spec, "b": legacy.replace("of 1", "")})

    assert isinstance(found, tuple)
    assert [str(problem) for problem in found] == [
        "b, line 1: this session is of a legacy plan, and others of version 1.7"
    ]


def test_plans_beyond_all_measure_are_refused() -> None:
    many = "".join(f"# Session {n}: s\n## Step 1: x\n" for n in range(1, 2002))

    assert problems(many) == [
        "plan: it has 2001 sessions and 2001 steps; at most 2000 and 10000 make a plan"
    ]
