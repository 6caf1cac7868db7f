"""What the critic finds in a plan without anybody's judgement."""

from typing import Any

from goalkeeper.core.campaign.critic import criticise
from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.campaign.runaway import may_run_away
from tests.tables import for_each
from tests.unit.core.campaign.small_plans import command, plan, session, step

MANIFEST = "expected_paths: [src/a.py]\ncommit_message_pattern: '^feat: '"


def find_dangers(text: str) -> list[str]:
    return ["it deletes"] if "rm -rf" in text else []


def find(subject: MasterPlan) -> list[CriticFinding]:
    return [*criticise(subject, find_dangers)]


def good_step(number: int = 1, **fields: Any) -> PlannedStep:  # noqa: ANN401  fields, by name
    made = {
        "manifest": MANIFEST,
        "verify": (command("make test", line=8),),
        "checkpoint": "feat: add search",
        "line": 4,
    }
    return step(number, **{**made, **fields})


def good_session(**fields: Any) -> PlannedSession:  # noqa: ANN401  as above
    return session(good_step(), touch=("src", "tests")).replace(**fields)


def rules_for(only: PlannedStep) -> list[str]:
    return [each.rule for each in find(plan(good_session(steps=(only,))))]


def test_a_good_plan_has_no_findings() -> None:
    first, second = good_session(), good_session(id="S02", touch=("docs",), steps=())

    assert find(plan(first, second)) == []


@for_each(
    ("manifest", "rule"),
    [
        ("", "manifest-missing"),
        ("expected_paths: [", "manifest-unreadable"),
        ("manifest: 7", "manifest-unreadable"),
        ("expected_pahts: [src/a.py]", "manifest-unreadable"),
        ("expected_paths: [../a.py]", "manifest-unreadable"),
        ("expected_paths: [/etc/passwd]", "manifest-unreadable"),
        ("commit_message_pattern: '('", "manifest-unreadable"),
        ("{expected_paths: [], min_file_count: 0, must_contain: []}", "manifest-cannot-fail"),
        ("manifest:", "manifest-cannot-fail"),
        ("{expected_paths: ['**'], min_file_count: 1}", "manifest-cannot-fail"),
        ("commit_message_pattern: '.*'", "pattern-matches-everything"),
        ("must_contain: [{path: src/a.py, pattern: 'x?'}]", "pattern-matches-everything"),
        ("commit_message_pattern: '(\\w+ ?)+:'", "pattern-runs-away"),
        ("commit_message_pattern: '^fix: '", "message-misses-pattern"),
        ("expected_paths: [docs/a.md]", "path-outside-fence"),
        ("must_contain: [{path: docs/a.md, pattern: x}]", "path-outside-fence"),
        ("{expected_paths: [src/a.py], forbidden_paths: [src/**]}", "path-is-forbidden"),
    ],
)
def test_a_manifest_that_proves_nothing_blocks(manifest: str, rule: str) -> None:
    found = find(plan(good_session(steps=(good_step(manifest=manifest),))))

    assert rule in [each.rule for each in found]
    assert [(each.where, each.line) for each in found if each.is_blocking][0] == ("S01 step 1", 4)  # noqa: RUF015


def test_what_may_not_be_touched_may_not_be_expected() -> None:
    mine = good_session(never=("src/a.py",))

    assert [each.rule for each in find(plan(mine))] == ["path-is-forbidden"]


def test_a_manifest_may_ask_for_a_number_of_files_alone() -> None:
    assert rules_for(good_step(manifest="min_file_count: 1")) == []


def test_must_contain_may_name_what_is_expected() -> None:
    manifest = "{expected_paths: [src/a.py], must_contain: [{path: src/a.py, pattern: x}]}"

    assert rules_for(good_step(manifest=manifest)) == []


@for_each(
    ("message", "is_told"),
    [
        ("wip", True),
        ("feat: wip", True),
        ("wip: add search", True),
        ("fix: update", True),
        ("feat: step 3", True),
        ("Fix bug.", True),
        ("feat(api): ", True),
        ("fix: typo in help", False),
        ("update readme", False),
    ],
)
def test_a_message_says_what_the_commit_does(message: str, is_told: bool) -> None:
    only = good_step(manifest="expected_paths: [src/a.py]", checkpoint=message)

    assert rules_for(only) == ["message-says-nothing"] * is_told


@for_each(
    ("fields", "rule", "line"),
    [
        ({"verify": ()}, "verify-missing", 4),
        ({"verify": (command("true", line=8),)}, "verify-cannot-fail", 8),
        ({"verify": (command("make test || true", line=8),)}, "verify-cannot-fail", 8),
        ({"verify": (command("make", "non-zero", line=8),)}, "verify-unreadable", 8),
        ({"verify": (command("rm -rf x && make", line=8),)}, "dangerous-command", 8),
        ({"contract": "criteria: 7"}, "contract-unreadable", 4),
        (
            {"contract": "criteria: [{id: C1, text: a, check: {shell: rm -rf x; make}}]"},
            "dangerous-command",
            4,
        ),
        (
            {"contract": "criteria: [{id: C1, text: a, check: {command: [env, rm -rf x]}}]"},
            "dangerous-command",
            4,
        ),
        (
            {"checkpoint": "git commit -m x; rm -rf y", "manifest": "expected_paths: [src]"},
            "dangerous-command",
            4,
        ),
        ({"test_first": "that it finds nothing"}, "test-unnamed", 4),
        ({"test_first": "web/a.test.ts finds nothing"}, "path-outside-fence", 4),
    ],
)
def test_what_is_wrong_with_a_step_blocks(fields: dict[str, Any], rule: str, line: int) -> None:
    found = find(plan(good_session(steps=(good_step(**fields),))))

    assert [(each.rule, each.line, each.is_blocking) for each in found] == [(rule, line, True)]


def test_words_of_a_message_are_no_commands() -> None:
    assert rules_for(good_step(checkpoint="feat: refuse rm -rf /")) == []
    assert rules_for(good_step(test_first="none — no code changes")) == []


def test_entry_and_exit_obey_the_rules_too() -> None:
    bad = good_session(
        entry_commands=(command("rm -rf a", line=2),),
        exit=(command("rm -rf b", line=3), command("echo done", line=5)),
    )

    assert [(each.rule, each.where, each.line) for each in find(plan(bad))] == [
        ("dangerous-command", "S01 entry", 2),
        ("dangerous-command", "S01 exit", 3),
        ("verify-cannot-fail", "S01 exit", 5),
    ]


def test_dependencies_exist_and_have_an_order() -> None:
    names = {"S01": ("S02",), "S02": ("S03",), "S03": ("S01", "S09")}
    wide = [
        good_session(id=name, depends_on=before, touch=(f"{name}/**",), steps=())
        for name, before in names.items()
    ]
    found = find(plan(*wide, steps=(good_step(1, depends_on=(2,)), good_step(2, depends_on=(1,)))))

    assert [(each.rule, each.where) for each in found] == [
        ("dependency-missing", "S03"),
        ("dependency-cycle", "S01"),
        ("dependency-cycle", "step 1"),
    ]
    assert "S01 → S02 → S03 → S01" in found[1].message


def test_every_goal_has_a_step() -> None:
    two = ("Search works", "Docs are there")

    found = find(plan(good_session(steps=(good_step(goal="search works."),)), goals=two))
    assert [(each.rule, each.is_blocking) for each in found] == [("goal-without-step", True)]
    assert "Docs are there" in found[0].message
    ungrouped = find(plan(good_session(), goals=two))
    assert [(each.rule, each.is_blocking) for each in ungrouped] == [("goal-without-step", False)]


def fence(name: str, *touch: str, **fields: Any) -> PlannedSession:  # noqa: ANN401  as above
    return session(id=name, touch=touch, **fields)


@for_each(
    ("sessions", "shared", "rules"),
    [
        ([fence("S01", "src/**"), fence("S02", "src/a.py")], (), ["fences-overlap"]),
        ([fence("S01", "src/**"), fence("S02", "src/a.py")], ("src/a.py",), []),
        ([fence("S01", "src/**", never=("src/a.py",)), fence("S02", "src/a.py")], (), []),
        ([fence("S01", "uv.lock", "a"), fence("S02", "uv.lock", "b")], (), ["likely-shared"]),
        ([fence("S01", "uv.lock", "a"), fence("S02", "uv.lock", "b")], ("*.lock",), []),
        ([fence("S01", "CHANGELOG.md"), fence("S02", "src")], (), []),
        (
            [
                fence("S01", "a"),
                fence("S02", "b", depends_on=("S01",)),
                fence("S03", "a", depends_on=("S02",)),
            ],
            (),
            [],
        ),
        ([fence("S01"), fence("S02", "b")], (), ["fence-unknown"]),
    ],
)
def test_sessions_that_may_change_one_file_are_told_and_do_not_block(
    sessions: list[PlannedSession], shared: tuple[str, ...], rules: list[str]
) -> None:
    found = find(plan(*sessions, shared=shared))

    assert [each.rule for each in found] == rules
    assert not any(each.is_blocking for each in found)


def test_a_legacy_plan_is_advised_and_only_dangers_block_it() -> None:
    bad = step(verify=(command("rm -rf x"),))
    old = plan(steps=(bad,), version="")

    assert {each.where for each in find(old)} == {"step 1"}
    assert {each.rule for each in find(old)} >= {"manifest-missing", "dangerous-command"}
    assert {each.rule for each in find(old) if each.is_blocking} == {"dangerous-command"}
    assert len([1 for each in find(old.replace(version="1.7")) if each.is_blocking]) > 1


def test_a_step_that_recurs_has_no_end_and_blocks_also_in_a_legacy_plan() -> None:
    contract = "criteria:\n- {id: C1, text: it is, check: {command: [grep, x, src/a.py]}}\n"
    recurs = good_step(contract=f"{contract}recurring: {{interval_hours: 24}}\n")

    assert rules_for(good_step(contract=contract)) == []
    for version in ("1.7", ""):
        found = find(plan(good_session(steps=(recurs,)), version=version))
        assert [(each.rule, each.is_blocking) for each in found] == [("step-recurs", True)]


@for_each(
    ("pattern", "expected"),
    [
        ("(a+)+", True),
        ("(?:a*)*", True),
        (r"(\w+\s*)*", True),
        ("(a|aa)+", True),
        ("(ab|a.)*", True),
        (r"(-\w*\w*)*", True),
        (r"(\w*s\w*)*", True),
        (r"(s?s\w*)*", True),
        ("(?i)([a-z]+S)*", True),
        ("(a{2,}){3}", True),
        ("((a+)+)?b", True),
        ("(?=(a+)+)x", True),
        (r"^feat\(\w+(-\w+)*\): .+", False),
        (r"(\w+\.)+x", False),
        ("([^,]+,)*", False),
        (r"(\d{1,3}\.){3}", False),
        (r"(\d{3})+", False),
        ("(feat|fix)?: .*x.*", False),
        (".*.*.*.*=", True),
        (".*?.*?.*?.*?=", True),
        (".{0,90}.{0,90}.{0,90}.{0,90}=", True),
        ("(?:ab)*(?:ab)*(?:ab)*(?:ab)*(?:ab)*c", True),
        (r"(.*a|.*b)(.*c)(.*d)(.*e)x", True),
        (r".*-\w+-.*-\w+-.*-\w+-.*=", True),
        (r"\d+\.\d+\.\d+\.\d+\.\d+", False),
        (r"^\w+ \w+ \w+ \w+ \w+ \w+$", False),
        (r"def \w+\(.*\) -> .*:", False),
        ("(?=.*a)(?=.*b)(?=.*c)(?=.*d)(?=.*e).*", False),
        (".*.*.*.*", False),
        (r"(\w+) \1", False),
    ],
)
def test_patterns_that_may_take_for_ever_are_known(pattern: str, expected: bool) -> None:
    assert may_run_away(pattern) is expected
