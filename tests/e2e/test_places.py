"""Repositories in places with odd names, odd clones, and locales that know no letters."""

import json
import os
import subprocess
from pathlib import Path

from tests.e2e.drives import FIX, Driven
from tests.e2e.project import Project, contract, story
from tests.e2e.world import COMMAND

ASCII = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_work_is_driven_wherever_the_repository_lies(driven: Driven) -> None:
    odd = "vertical\vtab, line\u2028separator".encode() + b", no letter\xff"
    driven.root = driven.root.rename(driven.home.parent / os.fsdecode(odd))
    driven.state = driven.root / ".goalkeeper"

    assert driven.drive({"G001": [FIX]}).reason == "done"
    assert driven.ok("land")["is_proven_tree"]


def test_a_line_break_in_the_path_is_refused_plainly(tmp_path: Path) -> None:
    project = Project(tmp_path / "two\nlines")

    answer = project.run("create-goals", "--gate", "standard", "--brief", story("a", contract()))

    assert "has a line break" in answer.err
    assert project.run("judge", "--json").code == 5


def test_letters_are_kept_where_the_locale_knows_none(driven: Driven) -> None:
    driven.brief.write_text(story("Größe", contract()))
    driven.write({"größe.txt": "groß\n"})
    driven.commit("größe")
    words = driven.words({"G001": [FIX]}, "--json")

    done = driven.run_process(*words, env=ASCII)
    assert (done.code, json.loads(done.out)["reason"]) == (0, "done")
    driven.write({"mine.txt": "mine\n"})
    driven.commit("mine")

    assert driven.run_process("land", env=ASCII).code == 0
    assert driven.git("log", "-1", "--format=%s") == "Größe\n"


def test_a_drive_goes_on_when_nobody_reads_what_it_says(driven: Driven) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as nobody:
        words = driven.words({"G001": [FIX]}, "--json")
        done = subprocess.run(
            [COMMAND, *words], cwd=driven.root, env=driven.environ(), check=False,
            stdin=subprocess.DEVNULL, stdout=nobody, stderr=nobody,
        )  # fmt: skip

    assert done.returncode == 0
    assert driven.statuses() == {"G001": "complete"}


def test_what_a_partial_clone_has_not_fetched_is_named_with_the_way_to_get_it(
    project: Project,
) -> None:
    project.write({"deep/other.txt": "far away\n"})
    project.commit("more")
    project.git("config", "uploadpack.allowFilter", "true")
    place = project.home / "partial"
    source = f"file://{project.root}"
    project.git("clone", "--quiet", "--filter=blob:none", "--no-checkout", source, place)
    project.git("sparse-checkout", "set", "nothing", cwd=place)
    project.git("checkout", "--quiet", "main", cwd=place)
    brief = ("--gate", "standard", "--brief", story("a", contract()))
    project.ok("create-goals", *brief, cwd=place)
    project.ok("complete-goals", cwd=place)

    answer = project.run("judge", "--isolation", "checkout", "--json", cwd=place)

    assert (answer.code, answer.reason) == (5, "partly-fetched"), answer
    project.git("fetch", "--quiet", "--refetch", "--no-filter", cwd=place)
    assert project.run("judge", "--isolation", "checkout", cwd=place).code == 1


def test_a_filter_that_is_missing_is_named_also_when_a_goal_is_judged(project: Project) -> None:
    project.write({".gitattributes": "*.bin filter=large\n", "a.bin": "large\n"})
    config = '[filter "large"]\n\tclean = no-such-filter\n\trequired = true\n'
    (project.home / ".gitconfig").write_text(config)
    project.plan_without_base(story("a", contract()))
    project.ok("complete-goals")

    assert "no-such-filter" in project.run("judge").err
