"""Releases as whole judgements, on a package of two releases."""

import subprocess
from pathlib import Path

from bench.fixes.__main__ import write_table
from bench.fixes.fix import RealFix, load_fixes, load_left_out
from bench.fixes.trial import MOST_RELEASES, try_fix
from bench.history.releases import name_root

TOLD = "&& echo ok {0} || echo not ok {0}\n"
TEST = "echo 1..{0}\n[ \"$(sh greet.sh Ann)\" = 'hello Ann' ] " + TOLD.format("1 - name")
MORE = '[ "$(sh greet.sh)" = hello ] ' + TOLD.format("2 - none")
RELEASES = {
    "1.0": {"greet.sh": 'echo "hello $1"\n', "tests/greet.sh": TEST.format(1)},
    "1.1": {"greet.sh": "echo hello $1\n", "tests/greet.sh": TEST.format(2) + MORE},
    "1.2": {"greet.sh": "echo hello $1\n", "tests/greet.sh": "echo 1..1\necho ok 1 - name\n"},
}


def make_releases(cache: Path) -> None:
    root = name_root("shelf", "greet", cache, MOST_RELEASES)
    (root / "tests").mkdir(parents=True)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "--quiet"], cwd=root, check=True)
    for version, files in RELEASES.items():
        for path, text in files.items():
            (root / path).write_text(text)
        subprocess.run([*git, "add", "--all"], cwd=root, check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", version], cwd=root, check=True)
        subprocess.run([*git, "branch", version], cwd=root, check=True)
    (root / ".git" / "complete").touch()


def test_a_release_that_brings_its_tests_is_proven_and_one_that_drops_them_is_not(
    tmp_path: Path,
) -> None:
    make_releases(tmp_path)
    raw = {"registry": "shelf", "check": {"tap": ["sh", "tests/greet.sh"]}}

    good = try_fix(RealFix("greet", "1.0", "1.1", raw), tmp_path, tmp_path / "good")
    bad = try_fix(RealFix("greet", "1.1", "1.2", raw), tmp_path, tmp_path / "bad")

    assert good.is_proven, good.reasons
    assert good.reasons == ["1 test passed; it rests on 1 new, red without the work: none"]
    assert not bad.is_proven
    assert "no new or changed test fails on the base's code" in bad.reasons
    assert any(each.startswith("test-vanished") for each in bad.reasons)
    rows = [row.split(" | ")[1:3] for row in write_table([good, bad]).splitlines()[2:]]
    assert rows == [["1.0 to 1.1", "yes"], ["1.1 to 1.2", "no"]]


def test_the_list_says_of_each_step_that_it_leaves_out_why() -> None:
    steps = {fix.name for fix in load_fixes()}

    assert len(steps) >= 10
    assert steps.isdisjoint(name for name, _ in load_left_out())
    assert all(why for _, why in load_left_out())
