"""What the critic must see in plans by hostile hands, and what must not keep it for ever."""

from goalkeeper.core.campaign.decompose import decompose
from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.campaign.whole_plan import find_faults_of_whole
from goalkeeper.core.contract.on_failure import OnFailure
from tests.tables import for_each
from tests.unit.core.campaign.bad_plans import (
    VERSION,
    blocking,
    look_at,
    problems,
    read,
    write_session,
    write_step,
)
from tests.unit.core.campaign.small_plans import command, plan, session, step


@for_each("version", [VERSION, ""])
def test_nobody_waits_in_a_circle(version: str) -> None:
    sessions = write_session(1, depends="Session 2") + write_session(2, depends="Session 1")
    steps = write_step(1, "Step 3") + write_step(2, "Step 1") + write_step(3, "Step 2")

    assert blocking(version + sessions) == ["dependency-cycle"]
    assert blocking(version + steps) == ["dependency-cycle"]


def test_a_step_that_depends_on_a_later_one_of_its_session_is_refused() -> None:
    late = write_step(2, "Step 3", "src/b.py") + write_step(3, path="src/c.py")

    assert blocking(VERSION + write_session(1, late)) == ["dependency-late"]
    in_order = write_step(3, path="src/c.py") + write_step(2, "Step 3", "src/b.py")
    assert blocking(VERSION + write_session(1, in_order)) == []


def test_numbers_of_steps_may_jump_and_later_sessions_be_named() -> None:
    text = write_session(7, depends="Session 9").replace("Step 1", "Step 40") + write_session(9)

    assert blocking(VERSION + text) == []


@for_each(
    ("manifest", "rule"),
    [
        ("commit_message_pattern: '.*.*.*.*='", "pattern-runs-away"),
        ("must_contain: [{path: src/a.py, pattern: 'x*x*x*x*x*y'}]", "pattern-runs-away"),
        (f"commit_message_pattern: '{'(' * 500}{')' * 500}'", "manifest-unreadable"),
        ("commit_message_pattern: 'a{9999999999}'", "manifest-unreadable"),
        ("expected_paths: [../../etc/passwd]", "manifest-unreadable"),
        ("expected_paths: ['src/**/../../..']", "manifest-unreadable"),
        ("expected_paths: [.git/hooks/pre-commit]", "manifest-unreadable"),
        ('expected_paths: ["C:\\\\x"]', "manifest-unreadable"),
        ("expected_paths: {src/a.py: 1}", "manifest-unreadable"),
        ("min_file_count: -1", "manifest-unreadable"),
        ("must_contain: [{path: 1, pattern: 2}]", "manifest-unreadable"),
        ("manifest: {manifest: {expected_paths: [src/a.py]}}", "manifest-unreadable"),
        ("expected_paths: &a [*a]", "manifest-unreadable"),
        ("!!python/object/apply:os.system [ls]", "manifest-unreadable"),
        ("%YAML 9.9", "manifest-unreadable"),
    ],
)
def test_a_manifest_of_ill_will_blocks_and_does_no_harm(manifest: str, rule: str) -> None:
    assert rule in blocking(VERSION + write_session(manifest=manifest))


def test_a_second_manifest_of_a_step_is_refused_with_its_line() -> None:
    fenced, named = "  ```yaml\n  min_file_count: 1\n  ```\n", "- Manifest: {min_file_count: 1}\n"

    assert problems(VERSION + write_session(1, fenced)) == [
        "line 15: a step takes one manifest, this is the second"
    ]
    assert problems(VERSION + write_session(1, named)) == [
        "line 15: manifest is given twice, first on line 11"
    ]


def test_of_hundreds_of_sessions_each_is_told_once_of_all_that_it_meets() -> None:
    text = VERSION + "".join(write_session(number) for number in range(1, 401))

    found = [each for each in look_at(text) if isinstance(each, CriticFinding)]

    assert [each.rule for each in found] == ["fences-overlap"] * 399
    assert found[0].message.startswith("S01 (src) and S02 (src) may change the same file, so")
    assert found[-1].message.endswith("The same holds for S02, S03, S04, S05 and 394 more.")


def test_thousands_of_steps_of_one_file_become_one_session() -> None:
    text = VERSION + "".join(write_step(number, path="src/a.py") for number in range(1, 3_001))

    (session,) = decompose(read(text), "files").sessions

    assert [step.number for step in session.steps] == [*range(1, 3_001)]


def test_an_exit_condition_that_could_be_skipped_blocks() -> None:
    last = step(on_failure=OnFailure.SKIP)
    made = plan(session(last, exit=(command("true", "exit 0"),)))

    assert "exit-skipped" in {each.rule for each in find_faults_of_whole(made) if each.is_blocking}
    assert [*find_faults_of_whole(plan(session(last, step(2), exit=(command("true"),))))] == []
