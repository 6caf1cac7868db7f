"""Where proofs run, what they rest on, and what is told of it."""

import zlib
from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.errors import UsageError
from goalkeeper.witness.variants import BaseChanged
from tests.contract.witness.projects import FIXED, NEW_TESTS, TESTS, Project, command

P = Verdict.PASSED


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_settings_of_the_base_count(project: Project, tmp_path: Path) -> None:
    project.freeze()
    project.write("calc.py", FIXED)
    setup = f"version = 1\n[witness]\nisolation = 'none'\nsetup = [['touch', '{tmp_path}/ran']]\n"
    project.write(".goalkeeper/config.toml", setup)

    judgement = project.prove()

    assert judgement.isolation == "checkout"
    assert not (tmp_path / "ran").exists()


@pytest.mark.needs("bwrap")
def test_without_a_demand_the_strongest_isolation_is_used_and_told(project: Project) -> None:
    project.write(".goalkeeper/config.toml", "version = 1\n")
    examined = project.freeze()
    project.write("calc.py", FIXED)

    judgement = project.prove(final=True)

    assert examined.isolation == judgement.isolation == "sandbox"
    assert judgement.is_proven, judgement


def test_without_isolation_the_working_tree_is_looked_at_as_it_is(project: Project) -> None:
    project.freeze()
    project.write("calc.py", FIXED)
    project.write("ignored.txt", "x")
    project.write(".gitignore", "ignored.txt\n")
    before = project.witness.take_snapshot().tree

    judgement = project.prove(isolation="none")

    assert (judgement.isolation, judgement.criteria[0].verdict) == ("none", P)
    project.write(".gitignore", "ignored.txt\n__pycache__\n.pytest_cache\n")
    assert project.witness.list_changed(before, project.witness.take_snapshot().tree) == (
        ".gitignore",
    )
    trial = project.trial.replace(isolation="none")
    with pytest.raises(UsageError, match="working tree only"):
        project.witness.prove_candidate(trial, project.trial.base)


def rewrite(project: Project, path: str, text: str) -> None:
    """Another text under the old id, in the files where git keeps it."""
    blob = project.witness.trees.list_entries(project.trial.base.tree)[path].id
    found = [p for p in project.place.rglob(f"objects/{blob[:2]}/{blob[2:]}") if p.is_file()]
    assert found
    for file in found:
        file.chmod(0o644)
        file.write_bytes(zlib.compress(b"blob %d\0" % len(text) + text.encode()))


@pytest.mark.parametrize("final", [False, True])
def test_objects_that_were_rewritten_are_found_out(project: Project, final: bool) -> None:
    project.repo.commit()
    project.freeze()
    rewrite(project, "tests/test_calc.py", TESTS.replace("== 3", "== -1"))
    project.write("other.py", "x = 1\n")

    with pytest.raises(BaseChanged) as found:
        project.prove(final=final)

    assert project.trial.base.tree in str(found.value)
    assert found.value.exit_code == 5


def test_code_of_the_base_that_was_rewritten_is_found_out(project: Project) -> None:
    project.repo.commit()
    project.freeze(NEW_TESTS)
    project.write("calc.py", FIXED)
    project.write("tests/test_new.py", "import calc\n\n\ndef test_x():\n    assert calc\n")
    rewrite(project, "calc.py", "raise SystemExit(1)\n")

    with pytest.raises(BaseChanged):
        project.prove()


def test_a_protected_file_that_is_not_what_was_frozen_is_found_out(project: Project) -> None:
    project.freeze()

    with pytest.raises(BaseChanged):
        project.prove(protected="0" * 64)


def test_submodules_and_lfs_are_noted(project: Project) -> None:
    assert project.freeze().notes == ()
    other = Project(project.place / "other").repo
    other.commit()
    project.repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q",
                     str(other.root), "vendor")  # fmt: skip
    project.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")

    notes = project.freeze().notes

    assert notes == (
        "submodule vendor is not in the checkout",
        "files kept by git LFS are pointers in the checkout",
    )


def test_what_is_protected_is_listed_with_reasons(project: Project) -> None:
    project.write("Makefile", "test:\n\ttrue\n")
    project.write("pyproject.toml", "[project]\nname = 'x'\n")

    examined = project.freeze(
        "criteria: [{id: C1, text: x, check: {command: [make, -n, nothing]}}]\n"
    )

    assert examined.protected == {
        ".goalkeeper/config.toml": "goalkeeper's own",
        "Makefile": "make takes its orders from it",
        "pyproject.toml": "its tools' tables",
        "tests/test_calc.py": "test",
    }


def test_secrets_do_not_reach_reasons_or_evidence(project: Project) -> None:
    secret = "hunter2hunter2hunter2"
    project.environ["API_TOKEN"] = secret
    project.write("notes.txt", f"it is {secret}\n")
    project.freeze(command("cat notes.txt >&2; exit 1"))

    judged = project.judged()

    assert secret not in judged.reason
    files = [file.read_text() for file in (project.place / "evidence").rglob("*.json")]
    assert files
    assert not [text for text in files if secret in text]


def test_a_tree_that_is_no_longer_known_has_no_changes(project: Project) -> None:
    tree = project.witness.take_snapshot().tree

    assert project.witness.list_changed("f" * 40, tree) is None
    assert project.witness.list_changed(tree, tree) == ()


def test_attributes_of_the_worker_do_not_rewrite_expected_results(project: Project) -> None:
    project.write("golden/out.txt", "one\ntwo\n")
    project.write("run", "cmp out.txt golden/out.txt\n")
    project.write("out.txt", "")
    project.freeze("criteria: [{id: C1, text: same, check: {command: [sh, run]}}]\n")
    project.write("out.txt", "one\r\ntwo\r\n")
    project.write(".gitattributes", "golden/* text eol=crlf\n/out.txt -text\n")

    assert project.judged(final=True).verdict is Verdict.FAILED
