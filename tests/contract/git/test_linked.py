"""A protected path may be a link: then what it leads to decides, and comes from base as well."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.findings import Level
from goalkeeper.git.trees import Trees
from goalkeeper.witness.variants import TreeVariants
from tests.contract.witness.projects import FIXED, Project, rules
from tests.contract.witness.repository import Repository
from tests.contract.witness.test_variants import texts

CHECKED = "criteria: [{id: C1, text: a, check: {command: [sh, scripts/check.sh]}}]\n"


class Work:
    """A base, and what a worker makes of it."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.trees: Trees = repo.trees()
        self.base = ""

    def begin(self, files: dict[str, str], links: dict[str, str]) -> None:
        for path, text in files.items():
            self.repo.write(path, text)
        for path, target in links.items():
            self.link(path, target)
        self.base = self.trees.take_snapshot().tree

    def link(self, path: str, target: str) -> None:
        place = self.repo.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    def variants(self, contract: str = CHECKED) -> TreeVariants:
        read = read_text(contract)
        assert isinstance(read, Contract), read
        return TreeVariants(self.trees, read, self.base, self.trees.take_snapshot().tree)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(Repository(tmp_path / "repo"))


def test_what_a_linked_script_leads_to_comes_from_base(work: Work) -> None:
    work.begin(
        {"tools/real.sh": "old\n", "tools/other.sh": "old\n"},
        {"scripts/check.sh": "../lib/mid.sh", "lib/mid.sh": "../tools/real.sh"},
    )
    work.repo.write("tools/real.sh", "new\n")
    work.repo.write("tools/other.sh", "new\n")
    work.link("lib/mid.sh", "../tools/other.sh")

    variants = work.variants()
    guarded = texts(work.trees, variants.guarded)

    assert guarded["tools/real.sh"] == "old\n"
    assert guarded["lib/mid.sh"] == "../tools/real.sh"
    assert guarded["tools/other.sh"] == "new\n"
    assert variants.base_protected == {
        "scripts/check.sh": "check command names it",
        "lib/mid.sh": "the link scripts/check.sh leads to it",
        "tools/real.sh": "the link scripts/check.sh leads to it",
    }


def test_a_script_in_a_linked_folder_comes_from_base(work: Work) -> None:
    work.begin({"tools/check.sh": "old\n", "tools/serve.sh": "old\n"}, {"scripts": "tools"})
    work.repo.write("tools/check.sh", "new\n")
    work.repo.write("tools/serve.sh", "new\n")
    (work.repo.root / "scripts").unlink()
    work.repo.write("scripts/check.sh", "new\n")
    work.repo.write("scripts/more.sh", "new\n")

    variants = work.variants()

    expected = {"scripts": "tools", "tools/check.sh": "old\n", "tools/serve.sh": "new\n"}
    assert texts(work.trees, variants.guarded) == expected
    assert work.repo.trees().list_entries(variants.guarded).keys() == expected.keys()


def test_all_of_a_linked_folder_of_tests_comes_from_base(work: Work) -> None:
    work.begin({"qa/suite/helper.py": "old\n", "qa/notes.py": "old\n"}, {"tests": "qa/suite"})
    for path in ("qa/suite/helper.py", "qa/suite/more.py", "qa/notes.py", "evil/helper.py"):
        work.repo.write(path, "new\n")
    work.link("tests", "evil")

    guarded = texts(work.trees, work.variants().guarded)

    assert guarded == {
        "tests": "qa/suite",
        "qa/suite/helper.py": "old\n",
        "qa/notes.py": "new\n",
        "evil/helper.py": "new\n",
    }


def test_tests_behind_a_link_are_tried_on_the_bases_code(work: Work) -> None:
    work.begin({"qa/cases.py": "old\n", "app.py": "old\n"}, {"tests/test_app.py": "../qa/cases.py"})
    work.repo.write("qa/cases.py", "new\n")
    work.repo.write("app.py", "new\n")

    found = texts(work.trees, work.variants().tests_on_base)

    assert (found["qa/cases.py"], found["app.py"]) == ("new\n", "old\n")


def test_a_link_to_all_of_the_tree_leaves_the_product_free(work: Work) -> None:
    work.begin({"tasks/main.yml": "old\n"}, {"tests/roles/mine": "../.."})
    work.repo.write("tasks/main.yml", "new\n")

    variants = work.variants()

    assert variants.guarded == variants.candidate


@pytest.mark.parametrize("freed", ["lib/tags.sh", "test/tags.sh"])
def test_the_contract_can_free_what_a_link_leads_to(work: Work, freed: str) -> None:
    work.begin({"lib/tags.sh": "old\n"}, {"test/tags.sh": "../lib/tags.sh"})
    work.repo.write("lib/tags.sh", "new\n")

    assert texts(work.trees, work.variants().guarded)["lib/tags.sh"] == "old\n"
    free = work.variants(f"{CHECKED}may_change: [{freed}]\n")
    assert texts(work.trees, free.guarded)["lib/tags.sh"] == "new\n"


def test_links_without_an_end_are_no_trouble(work: Work) -> None:
    work.begin(
        {"a/f.sh": "old\n"},
        {"check.sh": "round.sh", "round.sh": "check.sh", "a/x": "../b", "b/y": "../a"},
    )
    work.repo.write("a/f.sh", "new\n")

    variants = work.variants(CHECKED.replace("scripts/", ""))

    assert texts(work.trees, variants.guarded)["a/f.sh"] == "new\n"
    assert variants.base_protected.keys() == {"check.sh", "round.sh"}


def test_a_judge_behind_a_link_cannot_be_bribed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("tools/strict.sh", "grep -q 'a + b' calc.py\n")
    (project.repo.root / "check.sh").symlink_to("tools/strict.sh")
    contract = "criteria: [{id: C1, text: it adds, check: {command: [sh, check.sh]}}]\n"
    examined = project.freeze(contract)
    project.write("tools/strict.sh", "exit 0\n")

    bribed = project.prove()

    assert examined.protected["tools/strict.sh"] == "the link check.sh leads to it"
    assert bribed.criteria[0].verdict is Verdict.FAILED
    assert "protected-edited" in rules(bribed, Level.ADVISORY)
    project.write("calc.py", FIXED)
    assert project.judged().verdict is Verdict.PASSED
