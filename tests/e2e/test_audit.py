"""`audit`, `explain`, `schema` and `why`: reading the change, and what is said about it."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.project import (
    IS_FIXED,
    MENDED,
    RIGHT,
    SUITE,
    Files,
    Project,
    contract,
    criterion,
    rules,
)
from tests.tables import for_each

AUDIT = ("audit", "--goal-id", "G001")
SUITE_TEST = "def test_total():\n    pass\n"
MANIFEST = {
    "expected_paths": ["docs/guide.md"],
    "commit_message_pattern": "^feat: ",
    "bash_syntax_check": ["run.sh"],
    "forbidden_paths": ["legal/**"],
    "must_contain": [{"path": "product.txt", "pattern": "^fixed"}],
}


def audited(project: Project, *more: str) -> Any:  # noqa: ANN401  JSON
    answer = project.run(*AUDIT, *more, "--json")
    assert answer.code == (0 if answer.json["ok"] else 1), answer
    assert answer.err == ""
    return answer.json


def test_every_field_of_the_manifest_is_looked_at(project: Project) -> None:
    project.write({"legal/terms.txt": "old\n"})
    project.commit("terms")
    project.begin(contract(manifest=MANIFEST))
    project.write({"run.sh": "if true; then\n", "legal/terms.txt": "new\n"})

    bad = audited(project)
    project.git("checkout", "--", "legal")
    project.write({**MENDED, "docs/guide.md": "read this\n", "run.sh": "if true; then :; fi\n"})
    project.commit("feat: mended")
    good = audited(project)

    assert rules(bad) == {
        ("manifest-expected-paths", "docs/guide.md"),
        ("manifest-commit-message-pattern", ""),
        ("manifest-bash-syntax-check", ""),
        ("manifest-forbidden-paths", "legal/**"),
        ("manifest-must-contain", ""),
    }
    messages = " ".join(finding["message"] for finding in bad["findings"])
    for words in ("missing: docs/guide.md", "changed: legal/terms.txt", "product.txt does not"):
        assert words in messages
    assert (good["ok"], good["findings"]) == (True, [])


def test_a_change_may_be_too_small(project: Project) -> None:
    project.begin(contract(manifest={"min_file_count": 2}))
    project.write(MENDED)

    assert rules(audited(project)) == {("manifest-expected-paths", "")}
    project.write({"notes.txt": "more\n"})
    assert audited(project)["ok"] is True


@for_each(
    ("change", "found"),
    [
        ({"src/a.txt": "new a\n"}, set()),
        ({"src/new.txt": "x\n"}, set()),
        ({"other.txt": "new\n"}, {("scope-touch", "other.txt")}),
        ({"new.txt": "x\n"}, {("scope-touch", "new.txt")}),
        ({"other.txt": None}, {("scope-touch", "other.txt")}),
        ({"src/locked/key.txt": None}, {("scope-never", "src/locked/key.txt")}),
        ({"other.txt": None, "src/moved.txt": "o\n" * 20}, {("scope-touch", "other.txt")}),
        ({"src/a.txt": None, "moved.txt": "a\n" * 20}, {("scope-touch", "moved.txt")}),
        (
            {"src/a.txt": None, "src/locked/a.txt": "a\n" * 20},
            {("scope-never", "src/locked/a.txt")},
        ),
    ],
)
def test_the_fence_holds_for_both_ends_of_a_rename_and_for_deletions(
    tmp_path: Path, change: Files, found: set[tuple[str, str]]
) -> None:
    files = {"src/a.txt": "a\n" * 20, "src/locked/key.txt": "k\n" * 20, "other.txt": "o\n" * 20}
    project = Project(tmp_path, files)
    check = criterion("C1", {"file": "src/done.txt"})
    project.begin(contract(check, scope={"touch": ["src/**"], "never": ["src/locked/**"]}))
    project.write(change)

    assert rules(audited(project)) == found


def test_tampering_is_found_by_reading(suite: Project) -> None:
    suite.begin(contract(criterion("C1", {"pytest": "tests/test_total.py"})))
    suite.write(
        {
            "total.py": RIGHT,
            "tests/test_other.py": None,
            "tests/test_total.py": f"import pytest\n\n@pytest.mark.skip\n{SUITE_TEST}",
        }
    )

    told = audited(suite)
    page = suite.run(*AUDIT)

    assert told["ok"] is False
    assert {"tests/test_other.py", "tests/test_total.py"} <= {path for _, path in rules(told)}
    assert page.code == 1
    assert "blocking" in page.out.splitlines()[0]
    assert "next: goalkeeper explain" in page.out
    for finding in told["findings"]:
        assert suite.ok("explain", finding["rule"])["id"] == finding["rule"]


def test_honest_work_has_no_findings(suite: Project) -> None:
    suite.begin(contract(criterion("C1", {"pytest": "tests/test_total.py"})))
    more = "\ndef test_more():\n    assert total([5]) == 5\n"
    suite.write({"total.py": RIGHT, "tests/test_total.py": SUITE["tests/test_total.py"] + more})  # type: ignore[operator]

    told = audited(suite)

    assert (told["ok"], told["findings"]) == (True, [])


def test_a_commit_can_be_audited_and_a_goal_without_a_contract_too(suite: Project) -> None:
    suite.begin(None)
    suite.write({"tests/test_other.py": None})
    suite.commit("away with it")
    suite.git("checkout", "HEAD~1", "--", "tests/test_other.py")

    assert audited(suite)["ok"] is True
    assert audited(suite, "--commit", "HEAD")["ok"] is False


def test_the_sarif_document_is_one(suite: Project) -> None:
    suite.begin(contract(criterion("C1", {"pytest": "tests/test_total.py"})))
    suite.write({"tests/test_other.py": None})

    answer = suite.run(*AUDIT, "--sarif")

    document = json.loads(answer.out)
    assert (answer.code, document["version"]) == (1, "2.1.0")
    (run,) = document["runs"]
    assert run["tool"]["driver"]["name"] == "goalkeeper"
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} <= known
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"tests/test_other.py"}


def test_an_audit_runs_nothing_and_records_nothing(project: Project, tmp_path: Path) -> None:
    project.write({".goalkeeper/config.toml": 'version = 1\n[witness]\nisolation = "checkout"\n'})
    mark = tmp_path / "ran"
    project.begin(contract(criterion("C1", {"shell": f"touch {mark}; grep fixed product.txt"})))
    before = project.bytes_of_state()

    audited(project)

    assert not mark.exists()
    assert project.bytes_of_state() == before


# Explain


def test_every_rule_is_explained(project: Project) -> None:
    listed = project.ok("explain")["rules"]
    page = project.run("explain").out

    assert len(listed) > 50
    for rule in listed:
        assert all(rule[name] for name in ("id", "family", "level", "summary", "why", "mend"))
        assert f"\n{rule['id']} " in page
    first = listed[0]
    shown = project.run("explain", first["id"]).out
    for words in (first["summary"], first["why"], "Example:", "What to do:"):
        assert words in shown


def test_an_unknown_rule_is_answered_with_the_nearest(project: Project) -> None:
    answer = project.run("explain", "test-remved", "--json")

    assert (answer.code, answer.reason) == (2, "usage")
    assert answer.hint == "goalkeeper explain test-removed"
    assert project.run("explain", "zzz", "--json").hint == "goalkeeper explain"


# Schema


def test_the_schema_names_every_field_and_kind(project: Project) -> None:
    for words in (("schema", "contract"), ("schema", "contract", "--json")):
        answer = project.run(*words)
        assert (answer.code, answer.err) == (0, "")
        assert answer.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert {"criteria", "manifest", "scope", "may_change"} <= set(answer.json["properties"])
        check = answer.json["properties"]["criteria"]["items"]["properties"]["check"]
        assert {"command", "pytest", "file"} <= {kind["title"] for kind in check["oneOf"]}
    assert project.run("schema", "brief", "--json").code == 2


# Why


def test_why_says_what_is_unproven_since_when_and_what_would_prove_it(project: Project) -> None:
    noted = criterion("C2", {"command": ["grep", "-q", "seen", "notes.txt"]})
    project.begin(contract(criterion("C1", IS_FIXED), noted, scope={"touch": ["product.txt"]}))
    project.write({**MENDED, "other.txt": "x\n"})
    project.judge()

    told = project.ok("why", "G001")
    page = project.run("why", "G001").out

    (left,) = told["unproven"]
    assert (left["id"], left["status"], left["text"]) == ("C2", "FAIL", "C2 holds")
    assert left["proven_by"] == "command grep -q seen notes.txt"
    assert left["since"].startswith("20")
    assert [finding["rule"] for finding in told["findings"]] == ["scope-touch"]
    for words in (
        "G001 active: attempt 1, 1 of 2 criteria met, blocking findings: 1",
        "C2 FAIL since 20",
        "seen last:  exit 1, expected 0",
        "tried:      judged and failed once, 1 in a row",
        "proven by:  command grep -q seen notes.txt",
        "to do:      make it true in the product code",
        "blocking scope-touch other.txt",
        "next: goalkeeper judge --goal-id G001",
    ):
        assert words in page
    (line,) = [line for line in page.splitlines() if "evidence:" in line]
    assert (project.root / line.split()[-1]).is_file()


def test_why_knows_goals_without_judgement_without_contract_and_complete_ones(
    project: Project,
) -> None:
    project.begin(contract(), None)

    assert [left["status"] for left in project.ok("why", "G001")["unproven"]] == ["PENDING"]
    assert "G002 has no contract" in project.run("why", "G002").out
    project.write(MENDED)
    project.complete()
    assert project.ok("why", "G001")["unproven"] == []
    assert "G001 is complete: it is done" in project.run("why", "G001").out
    assert project.run("why", "G009", "--json").reason == "unknown-goal"


def test_why_without_a_goal_says_what_matters_most_now(project: Project) -> None:
    assert "There is no plan" in project.run("why").out
    project.begin(contract(), None)

    assert project.ok("why")["goal_id"] == "G001"
    project.write(MENDED)
    project.complete()
    assert "G002 has no contract" in project.run("why").out
    project.checkpoint("G002", "blocked", "no access")
    assert project.ok("why")["goal_id"] == "G002"
    over = ("steer", "--kind", "mark_blocked_superseded", "--goal-id", "G002", "--rationale", "no")
    project.ok(*over, "--evidence", "not needed")
    assert project.run("why").out.startswith("All goals are complete")


def test_for_every_verdict_it_is_told_which_structures_looked(tmp_path: Path) -> None:
    files = {
        "calc.sh": "echo $(($1 - $2))\n",
        "test/calc.sh": '[ "$(sh calc.sh 1 2)" = 3 ] || exit 1\n',
    }
    project = Project(tmp_path, files)
    project.begin(contract(criterion("C1", {"command": ["sh", "test/calc.sh"]})))
    assert project.run("explain", "G001").out == "G001 has no criteria that were judged.\n"
    project.write({"calc.sh": "echo $(($1 + $2))\n"})

    assert project.judge()["ok"]

    (told,) = project.ok("explain", "G001")["criteria"]
    assert (told["id"], told["status"]) == ("C1", "PASS")
    assert told["runs"] == ["candidate with base's tests"]
    assert told["probes"][0] == {
        "probe": "spoilt tests",
        "saw": "it fails when its tests expect other values",
        "unseen": [],
    }
    page = project.run("explain", "G001").out
    assert "spoilt tests: it fails when its tests expect other values" in page
