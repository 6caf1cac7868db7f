"""A session spec is a projection of the plan: all of it is there, and can be read back."""

import re

import pytest
import yaml
from hypothesis import given

from goalkeeper.core.campaign.document import read_plan, read_specs
from goalkeeper.core.campaign.plan import MasterPlan, PlannedCommand, PlannedSession, PlannedStep
from goalkeeper.core.campaign.spec import Recovery, write_spec
from tests.unit.core.campaign.written_plans import SEED_SPEC, plans, without_lines

TWO = MasterPlan(
    "plans/p.md",
    "P",
    "1.7",
    sessions=(
        PlannedSession("S01", "One", (PlannedStep(1, "a"),)),
        PlannedSession(
            "S02",
            "Two",
            (
                PlannedStep(
                    1,
                    "b",
                    manifest="manifest:\n  expected_paths: [b.py, c.py]\n"
                    '  commit_message_pattern: "^feat:"\n  forbidden_paths: [d.py]',
                ),
                PlannedStep(
                    2,
                    "c",
                    manifest="expected_paths: [c.py]\ncommit_message_pattern: ^fix\n"
                    "bash_syntax_check: [c.sh]\nforbidden_paths: [a.py]",
                ),
            ),
            depends_on=("S01",),
            touch=("b.py", "c.py"),
            never=("a.py",),
        ),
    ),
)
FIELDS = ["Files", "Changes", "Reuses", "Test first", "Verify", "On failure", "Checkpoint"]


def write_all(plan: MasterPlan) -> dict[str, str]:
    return {f"{each.id}.md": write_spec(plan, each.id) for each in plan.sessions}


def section(spec: str, name: str) -> str:
    return spec.split(f"\n## {name}\n")[1].split("\n## ", maxsplit=1)[0]


def labels(text: str) -> list[str]:
    return re.findall(r"(?m)^- ([^:`]+):", text)


@given(plans())
def test_specs_read_back_are_the_sessions_that_were_written(plan: MasterPlan) -> None:
    read = read_specs(write_all(plan))

    assert isinstance(read, MasterPlan), read
    assert without_lines(read.sessions) == plan.sessions
    assert (read.path, read.version) == (plan.path, plan.version)


def test_a_spec_that_somebody_wrote_reads_the_same_as_ours() -> None:
    plan = read_plan(SEED_SPEC)
    assert isinstance(plan, MasterPlan)

    assert without_lines(read_plan(write_spec(plan, "S01"))) == without_lines(plan)


def test_every_section_and_every_field_of_the_template_is_there_in_its_order() -> None:
    spec = write_spec(TWO, "S02", Recovery("S02", 1, ((2, "no commit"),)))

    assert spec.startswith(
        "# Session 2: Two\n\n> From master plan: plans/p.md\n> Session 2 of 2\n\n## Context\n"
    )
    assert re.findall(r"(?m)^## (.*)", spec) == [
        "Context", "Dependencies", "Scope Fence", "Session Manifest", "Steps", "Exit Condition",
        "Failure Handling", "Security Constraints", "Handoff State", "Metadata",
        "Recovery Metadata",
    ]  # fmt: skip
    assert labels(section(spec, "Dependencies")) == ["Depends on", "Blocks", "Entry condition"]
    assert labels(section(spec, "Scope Fence")) == ["Touch", "Never touch"]
    preflight, *steps = section(spec, "Steps").split("### Step ")[1:]
    without = {"Reuses", "Test first"}
    assert labels(preflight) == [each for each in [*FIELDS, "Manifest"] if each not in without]
    assert [labels(step) for step in steps] == [[*FIELDS, "Manifest"]] * 2
    assert labels(section(spec, "Metadata")) == [
        "Master plan", "Steps from plan", "Estimated complexity", "Model recommendation",
    ]  # fmt: skip
    assert labels(section(spec, "Recovery Metadata")) == [
        "Recovery of", "Recovery depth", "Missing steps (reason for recovery)",
        "Entry condition override", "Parent progress file",
    ]  # fmt: skip


def test_a_session_manifest_sums_up_its_steps() -> None:
    written = section(write_spec(TWO, "S02"), "Session Manifest")

    summed = yaml.safe_load(written.split("```")[1].removeprefix("yaml"))
    assert [*summed.items()] == [
        (
            "session_manifest",
            {
                "plan_version": "1.7",
                "legacy_synthesis": False,
                "expected_paths": ["b.py", "c.py"],
                "commit_count": 2,
                "commit_message_patterns": ["^feat:", "^fix"],
                "bash_syntax_check": ["c.sh"],
                "scope_touch": ["b.py", "c.py"],
                "scope_forbidden": ["a.py", "d.py"],
            },
        )
    ]
    legacy = section(write_spec(TWO.replace(version=""), "S02"), "Session Manifest")
    assert "legacy_synthesis: true" in legacy


def test_a_manifest_that_was_made_for_a_legacy_step_is_printed_and_is_none_of_its_own() -> None:
    step = PlannedStep(1, "old", files=("a.py",), verify=TWO.sessions[0].steps[0].verify,
                       checkpoint="feat: the old way")  # fmt: skip
    plan = MasterPlan("", "old", "", sessions=(PlannedSession("S01", "old", (step,)),))

    written = write_spec(plan, "S01")

    assert "expected_paths:\n    - a.py\n    commit_message_pattern: '^feat:'" in written
    read = read_plan(written)
    assert isinstance(read, MasterPlan), read
    assert read.sessions[0].steps[0].manifest == ""
    changed = read_plan(written.replace("    - a.py\n    commit", "    - b.py\n    commit"))
    assert "somebody edited it" in str(changed)


def test_step_0_asks_for_the_preflight_of_this_session() -> None:
    preflight = section(write_spec(TWO, "S02"), "Steps").split("### Step ")[1]

    asked = "- Verify: `goalkeeper campaign preflight S02` → expected: non-77 exit code\n"
    assert asked in preflight
    assert "- On failure: escalate — 77 " in preflight
    assert "sandbox_preflight: true" in preflight


def test_dependencies_are_told_in_both_directions() -> None:
    one, two = (section(write_spec(TWO, name), "Dependencies") for name in ("S01", "S02"))

    assert "- Depends on: none — can run in parallel\n- Blocks: Session 2\n" in one
    assert "- Depends on: Session 1\n- Blocks: none\n" in two


def test_only_a_recovery_has_recovery_metadata() -> None:
    missing = ((2, "no commit\nmatches ^fix"), (3, "no c.py"))
    recovery = Recovery("S02", 1, missing, "committed at 4a47682", ".goalkeeper/campaigns/c1")

    spec = write_spec(TWO, "S02", recovery)

    assert section(spec, "Recovery Metadata").strip().split("\n") == [
        "- Recovery of: S02",
        "- Recovery depth: 1",
        "- Missing steps (reason for recovery): Step 2: no commit matches ^fix; Step 3: no c.py",
        "- Entry condition override: committed at 4a47682",
        "- Parent progress file: .goalkeeper/campaigns/c1",
    ]
    assert "Recovery" not in write_spec(TWO, "S02")
    assert without_lines(read_plan(spec.replace("Session 1", "none"))) == without_lines(
        read_plan(write_spec(TWO, "S02").replace("Session 1", "none"))
    )


def test_a_command_of_several_lines_stays_one_command() -> None:
    script = PlannedCommand("cd a\nmake → expected: x", "")
    session = TWO.sessions[0]
    step = session.steps[0].replace(verify=(script,))
    plan = TWO.replace(sessions=(session.replace(steps=(step,)),))

    read = read_plan(write_spec(plan, "S01"))

    assert isinstance(read, MasterPlan)
    assert without_lines(read.sessions[0].steps[0].verify) == (script,)


def test_a_session_that_the_plan_does_not_have_has_no_spec() -> None:
    with pytest.raises(KeyError, match="S03"):
        write_spec(TWO, "S03")
