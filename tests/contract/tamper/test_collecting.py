"""What settings of pytest collect is what pytest collects."""

import json
import subprocess
import sys
from pathlib import Path

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.tamper.review import review

TEST = '"""\n>>> 1\n1\n"""\ndef test_{0}():\n    assert 1\n'
FILES = (
    *("test_top.py", "more_test.py", "tests/test_a.py", "tests/deep/test_b.py", "tests/check_c.py"),
    *("tests/build/test_d.py", "docs/test_e.py", "docs/deep/test_f.py", "spec/unit/test_g.py"),
)
SETTINGS = (
    *("", "testpaths = tests", "testpaths = tests docs", "testpaths = nowhere", "testpaths = ."),
    *("testpaths = */deep", "testpaths = */test_*.py", "testpaths = tests/check_c.py docs"),
    *("testpaths = tests/build/", "testpaths = **/deep", "python_files = check_*.py"),
    *("python_files = tests/*.py", "python_files = test_*.py", "python_files = *.py"),
    *("norecursedirs = deep", "norecursedirs = docs/deep", "norecursedirs = [d]eep b*"),
    *("norecursedirs = tests", "norecursedirs = *", "norecursedirs = nothing"),
    "norecursedirs = tests\ntestpaths = tests",
    *("addopts = --doctest-modules\npython_files = none.py", "addopts = --strict-markers"),
)


ASK = """
import json, pathlib, pytest, sys

class Plugin:
    def pytest_collection_finish(self, session):
        self.seen = [item.nodeid for item in session.items]

answers = {}
for text in json.load(sys.stdin):
    pathlib.Path("pytest.ini").write_text(f"[pytest]\\n{text}\\n")
    plugin = Plugin()
    pytest.main(["--collect-only", "-q", "--import-mode=importlib"], plugins=[plugin])
    answers[text] = plugin.seen
pathlib.Path("answers.json").write_text(json.dumps(answers))
"""


def ask_pytest(root: Path) -> dict[str, set[str]]:
    """Return what pytest collects with each of the settings."""
    for number, path in enumerate(FILES):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(TEST.format(number))
    command = [sys.executable, "-c", ASK]
    subprocess.run(command, cwd=root, input=json.dumps(SETTINGS), text=True, check=True)
    answers: dict[str, list[str]] = json.loads((root / "answers.json").read_text())
    return {text: set(seen) for text, seen in answers.items()}


def find_lost(before: str, after: str) -> str:
    old, new = (f"[pytest]\n{text}\n".encode() for text in (before, after))
    change = FileChange("pytest.ini", "pytest.ini", old, new)
    found = review([change], tree=dict.fromkeys(FILES, TEST.encode()).get, tests=FILES)
    told = [each.message for each in found if each.rule == "runner-options-narrowed"]
    return " ".join(told)


def drop_places(settings: str) -> str:
    return "\n".join(line for line in settings.splitlines() if not line.startswith("testpaths"))


def test_what_holds_no_tests_may_be_ignored() -> None:
    for option in (" setup.py", "=setup.py", "=docs/none", " ./build.py", "=tests/*.txt"):
        assert find_lost("", f"addopts = -q --ignore{option} -v") == "", option
    for option in (
        *(" tests/test_a.py", "=docs", "=./tests/deep/", "-glob=*_test.py", "=", "=/tmp/tests"),
        *("=../project/tests", "=tests/'test_a.py'", " setup.py --ignore docs"),
        "= --deselect=tests/test_a.py::test_2",
    ):
        assert find_lost("", f"addopts = -q --ignore{option}"), option
    many = " ".join(f"--ignore=x{number}" for number in range(40))
    assert find_lost("", f"addopts = {many}")


def test_what_cannot_be_told_is_asked_about() -> None:
    for places in ("/srv/tests", "../tests", ".git", "'tests'/a", " ".join(map(str, range(40)))):
        assert find_lost("", f"testpaths = {places}"), places
    assert find_lost("testpaths = docs", "testpaths = docs\nnorecursedirs = deep")
    assert find_lost("testpaths = docs", "testpaths = docs\naddopts = --ignore=tests/deep")


def test_what_is_said_to_be_left_out_is_what_pytest_leaves_out(tmp_path: Path) -> None:
    collected = ask_pytest(tmp_path)

    assert len({frozenset(each) for each in collected.values()}) > len(SETTINGS) / 2
    for before, took in collected.items():
        for after, takes in collected.items():
            told = find_lost(before, after)
            if "doctest" in before and "doctest" not in after:
                assert told
                continue
            lost = took - takes
            # A command may name places that the settings do not.
            lost |= collected[drop_places(before)] - collected[drop_places(after)]
            paths = {each.partition("::")[0] for each in lost}
            assert bool(told) == bool(paths), (before, after, told)
            assert not told or any(path in told for path in paths), (before, after, told)
