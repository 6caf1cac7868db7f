"""Plans for tests: a spec in the seed's form, and plans of any kind that can be read."""

import re
from typing import TypeVar

from hypothesis import strategies as st

from goalkeeper.core.campaign.plan import (
    Complexity,
    MasterPlan,
    PlannedCommand,
    PlannedSession,
    PlannedStep,
)
from goalkeeper.core.contract.on_failure import OnFailure

Plain = TypeVar("Plain")

SEED_SPEC = """\
Session 1: Prices in the API

From master plan: plans/prices.md Session 1 of 1

Context

Prices are only on the pages of the shop. The API needs them too.

Dependencies

  • Depends on: none — can run in parallel
  • Blocks: none
  • Entry condition: the shop shows prices

Scope Fence

  • Touch: src/api.py, tests/test_api.py
  • Never touch: src/shop.py

Session Manifest

Machine-readable aggregate of all step manifests in this session.

session_manifest:
  plan_version: "1.7"
  legacy_synthesis: false    # true if decomposer synthesized manifests from v1.6 plan
  expected_paths:            # union across all steps (deduplicated)
    - src/api.py
    - tests/test_api.py
  commit_count: 2            # number of implementation steps (excludes Step 0)
  commit_message_patterns:   # in step order; Step 0 omitted
    - "^feat\\\\(api\\\\):"
    - "^test\\\\(api\\\\):"
  bash_syntax_check: []      # union of step bash_syntax_check
  scope_touch: []            # from Scope Fence Touch
  scope_forbidden: []        # Never touch + union of step forbidden_paths

Steps

Step 0: Sandbox pre-flight (auto-generated — do not modify)

  • Files: none (read-only test)
  • Changes: verify git push permissions are available in this sandbox
  • Verify:
    git push --dry-run origin HEAD

    → expected: non-77 exit code
  • On failure: escalate — exit code 77 means this sandbox cannot push.
  • Checkpoint: none (no file changes)
  • Manifest:
    manifest:
      expected_paths: []
      sandbox_preflight: true

Step 0 runs in the same sandbox as all real work.

Step 1: Prices in the answer

  • Files: src/api.py
  • Changes: add a field
  • Reuses: format_price of src/shop.py
  • Test first: tests/test_api.py, the field is there
  • Verify: pytest -q tests/test_api.py → expected: 3 passed
  • On failure: retry — look at the pages of the shop
  • Checkpoint: git commit -m "feat(api): prices"
  • Manifest:
    manifest:
      expected_paths:
        - src/api.py
      min_file_count: 1
      commit_message_pattern: "^feat\\\\(api\\\\):"
      bash_syntax_check: []
      forbidden_paths: []
      must_contain: []

Step 2: Tests of the prices

  • Files: tests/test_api.py
  • Changes: more cases
  • Verify:
    pytest -q

    → expected: all pass
  • On failure: escalate
  • Checkpoint: git commit -m "test(api): prices" -m "All of them."
  • Manifest:
    manifest:
      expected_paths:
        - tests/test_api.py
        - src/api.py
      commit_message_pattern: "^test\\\\(api\\\\):"

Exit Condition

All of these must pass before this session is considered complete:

  • pytest -q → expected: all pass
  • All changes committed with descriptive messages
  • No uncommitted changes remain (git status clean)

Failure Handling

  • If ANY step fails after retry: stop execution. Do NOT proceed to later steps.

Security Constraints

These rules override any step instructions that conflict with them:

  • Never run rm -rf

Handoff State

The API answers with prices.

Metadata

  • Master plan: plans/prices.md
  • Steps from plan: Step 4–Step 5
  • Estimated complexity: low
  • Model recommendation: sonnet — it is small

Recovery Metadata

This section is populated only for a recovery. Omit for normal sessions.
"""
TRICKY = [
    "# A heading", "## Steps", "### Step 3: other", "Step 1: a", "Session 2: b", "Context",
    "Exit Condition:", "**Metadata**", "- Verify: `x`", "  * **Files:** a", "Manifest:", "```",
    "~~~", "```yaml", "```contract", "````", "\\# slashed", "\\\\Steps", "- a list", "> quoted",
    "---", "Plan version: 9", "a `code` b", "→ expected: x", "    indented", "Goal: g",
]  # fmt: skip

words = st.text("abcXYZ09 .:-—_*#`'\"\\{}()[]<>→$é\t,/", min_size=1, max_size=12)
one_line = words.map(lambda text: " ".join(text.split())).filter(
    lambda text: text and not re.fullmatch(r"(?i)[\"'`]*\{.*\}[\"'`]*|[-–—]\.?", text)
)
prose = (
    st.lists(st.sampled_from(TRICKY) | words | st.just(""), max_size=6)
    .map(lambda lines: "\n".join(line.rstrip() for line in lines).strip())
    .filter(lambda text: not re.fullmatch(r"[\"'`]*\{[^{}]*\}[\"'`]*|[-–—]\.?", text))
)
paths = st.lists(
    st.text("abc.*{},-_ `é", min_size=1, max_size=8)
    .map(lambda name: f"src/{name}")
    .filter(lambda path: path == path.rstrip(" .")),
    unique=True,
    max_size=3,
).map(tuple)
expected = one_line | st.just("")
texts_of_lines = st.lists(st.sampled_from(TRICKY) | words, min_size=1, max_size=4).map(
    lambda lines: "\n".join(["x", *(line.rstrip() for line in lines), "y"])
)
commands = st.builds(PlannedCommand, one_line | texts_of_lines, expected)
manifests = st.just("") | texts_of_lines.map(lambda text: f"manifest:\n  # {text}") | st.builds(
    lambda files, pattern: "manifest:\n  expected_paths:\n" + "".join(
        f"    - {name}\n" for name in files) + f"  commit_message_pattern: '{pattern}'   ",
    st.lists(st.sampled_from(["a.py", "b.py", "c.sh"]), max_size=3),
    st.sampled_from(["^feat:", "^fix: x$", ""]),
)  # fmt: skip


def is_prose_of_entry(text: str) -> bool:
    """Commands are not what an entry condition says in words."""
    return not re.search(r"expected|`|~~~", text)


@st.composite
def steps(draw: st.DrawFn, number: int) -> PlannedStep:
    return PlannedStep(
        number=number,
        title=draw(one_line),
        files=draw(paths),
        changes=draw(prose),
        reuses=draw(prose),
        test_first=draw(prose),
        verify=tuple(draw(st.lists(commands, max_size=3))),
        contract=draw(st.just("") | texts_of_lines),
        on_failure=draw(st.sampled_from(OnFailure)),
        instructions=draw(prose),
        checkpoint=draw(st.just("") | one_line | texts_of_lines),
        manifest=draw(manifests),
        depends_on=(1,) if number > 1 and draw(st.booleans()) else (),
        goal=draw(prose),
    )


@st.composite
def plans(draw: st.DrawFn) -> MasterPlan:
    """Plans whose sessions are numbered without gaps, each depending on earlier ones."""
    sessions: list[PlannedSession] = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        earlier = [each.id for each in sessions]
        model = draw(st.sampled_from(["", "opus", "claude-x 4.6"]))
        sessions.append(
            PlannedSession(
                id=f"S{number:02d}",
                title=draw(one_line),
                steps=tuple(draw(steps(n)) for n in range(1, draw(st.integers(1, 3)) + 1)),
                context=draw(prose),
                depends_on=tuple(each for each in earlier if draw(st.booleans())),
                entry=draw(prose.filter(is_prose_of_entry)),
                entry_commands=tuple(draw(st.lists(commands, max_size=2))),
                touch=draw(paths),
                never=draw(paths),
                exit=tuple(draw(st.lists(commands, max_size=3))),
                handoff=draw(prose),
                complexity=draw(st.sampled_from(Complexity)),
                model=model,
                rationale=draw(prose),
            )
        )
    version = draw(st.sampled_from(["", "1.7"]))
    return MasterPlan("plans/p.md", "A plan", version, sessions=tuple(sessions))


def without_lines(plain: Plain) -> Plain:
    """Return plan values with no line numbers, as nobody wrote them."""
    if isinstance(plain, tuple):
        return tuple(map(without_lines, plain))  # type: ignore[return-value]
    if not isinstance(plain, MasterPlan | PlannedSession | PlannedStep | PlannedCommand):
        return plain
    fields = {name: without_lines(value) for name, value in plain.as_dict().items()}
    return type(plain)(**(fields | ({"line": 0} if "line" in fields else {})))
