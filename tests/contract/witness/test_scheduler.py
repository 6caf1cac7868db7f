"""Checks side by side, each in a clean checkout, none in another's way."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from bench.lean import lean_python
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.witness.check_context import CheckResult, ProgramCall
from goalkeeper.witness.isolation import Isolation
from goalkeeper.witness.pool import CheckoutPool
from goalkeeper.witness.scheduler import CheckJob
from goalkeeper.witness.workspace import Workspace
from tests.checks import check
from tests.contract.witness.repository import Repository
from tests.contract.witness.schedulers import Halls, output, sh, spoil_in_shared_memory
from tests.patience import patience

LEVELS = [
    Isolation.CHECKOUT,
    pytest.param(Isolation.SANDBOX, marks=pytest.mark.needs("bwrap")),
]


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "repo")
    repo.write("a.txt", "a\n")
    repo.write("sub/b.txt", "b\n")
    repo.write("tests/test_a.py", "assert True\n")
    return repo


@pytest.fixture
def halls(repo: Repository) -> Halls:
    return Halls(repo)


@pytest.fixture
def one_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})


def test_checks_run_side_by_side(
    halls: Halls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waits for the other, so one after the other they would never end."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    wait = "touch {0}/{1}; for i in $(seq 500); do test -e {0}/{2} && exit 0; sleep 0.05; done"

    seen = halls.run(
        *(sh(wait.format(tmp_path, *names) + "; exit 1") for names in (("x", "y"), ("y", "x")))
    )

    assert [each.verdict for each in seen] == [Verdict.PASSED] * 2
    assert len(list(Path(halls.trees.store, "slots").iterdir())) == 2


def test_more_checks_than_cores_and_several_trees(halls: Halls, repo: Repository) -> None:
    first = halls.trees.take_snapshot().tree
    repo.write("a.txt", "other\n")
    second = halls.trees.take_snapshot().tree
    criteria = {name: Criterion(name, "", sh("cat a.txt; rm -r .")) for name in "ABCDE"}
    jobs = [CheckJob(name, tree, turn) for name in criteria for tree in (first, second)
            for turn in (0, 1)]  # fmt: skip

    seen = halls.hall(criteria).run_jobs(jobs)

    assert seen.keys() == set(jobs)
    assert {output(seen[job]) for job in jobs if job.tree == first} == {"a"}
    assert {output(seen[job]) for job in jobs if job.tree == second} == {"other"}


def test_no_checks_are_no_work(halls: Halls) -> None:
    assert halls.hall({}).run_jobs([]) == {}


@pytest.mark.parametrize("level", LEVELS)
def test_every_check_finds_a_clean_checkout_home_and_tmp(
    level: Isolation, repo: Repository, one_slot: None
) -> None:
    halls = Halls(repo, isolation=level)
    look = "cat a.txt; ls -A . $HOME $TMPDIR | wc -l"

    before, _, after = halls.run(
        sh(look),
        sh("echo b > a.txt; touch x $HOME/x $TMPDIR/x; mkdir .git sub/.git; mkfifo sub/pipe"),
        sh(look),
    )

    assert output(before) == output(after)


MISDEEDS = (
    "echo pass > tests/test_a.py",
    "rm tests/test_a.py",
    "chmod +x tests/test_a.py",
    "rm -r tests; ln -s sub tests",
    "cd ..; rm -r tree",
    "rm tests/test_a.py; mkdir tests/test_a.py",
    spoil_in_shared_memory("tests/test_a.py"),
)


def test_a_check_that_changes_protected_files_tells_nothing(halls: Halls, one_slot: None) -> None:
    halls.protected = frozenset({"tests/test_a.py"})
    harmless = sh("cat tests/test_a.py a.txt; echo x > a.txt; touch tests/new.py")

    for misdeed in MISDEEDS:
        told, after = halls.run(sh(misdeed), harmless)

        assert told.verdict is Verdict.UNKNOWN, misdeed
        assert told.reason == "it changed protected files while it ran: tests/test_a.py", misdeed
        assert after.verdict is Verdict.PASSED, misdeed
        assert output(after) == "assert True\na", misdeed


@pytest.mark.parametrize("level", LEVELS)
def test_held_out_files_are_there_for_their_check_alone(
    level: Isolation, repo: Repository, home: Path, one_slot: None
) -> None:
    (home / "held/data").mkdir(parents=True)
    (home / "held/test_hidden.py").write_text("hidden\n")
    (home / "held/data/rows").write_text("rows\n")
    repo.write("held_out/from-the-tree", "bait")
    halls = Halls(repo, isolation=level)
    tree = halls.trees.take_snapshot().tree
    look = sh("find held_out -type f | sort")
    held = (str(home / "held/test_hidden.py"), "~/held/data")
    criteria = {
        "A": Criterion("A", "", look),
        "B": Criterion("B", "", look, held_out=held),
        "C": Criterion("C", "", look),
    }

    seen = halls.hall(criteria).run_jobs([CheckJob(name, tree) for name in criteria])

    assert [output(seen[CheckJob(name, tree)]).split() for name in criteria] == [
        ["held_out/from-the-tree"],
        ["held_out/data/rows", "held_out/test_hidden.py"],
        ["held_out/from-the-tree"],
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_a_held_out_file_may_lie_beside_the_product_whatever_lies_there(
    level: Isolation, repo: Repository, home: Path, one_slot: None
) -> None:
    (home / "b.test.js").write_text("ours\n")
    halls = Halls(repo, isolation=level)
    halls.protected = frozenset({"sub/b.txt", "sub/b.test.js"})
    look = "cat sub/b.test.js sub/b.txt"
    held = {"held_out": (str(home / "b.test.js"),), "held_out_at": "sub"}

    def judge(text: str = look) -> list[CheckResult]:
        tree = halls.trees.take_snapshot().tree
        plain, asked = Criterion("A", "", sh(look)), Criterion("B", "", sh(text)).replace(**held)
        jobs = [CheckJob("A", tree), CheckJob("B", tree), CheckJob("A", tree, 1)]
        seen = halls.hall({"A": plain, "B": asked}).run_jobs(jobs)
        assert output(seen[jobs[0]]) == output(seen[jobs[2]])  # the product's own is back
        return [seen[job] for job in jobs]

    plain, asked, _ = judge()
    assert (plain.verdict, output(asked)) == (Verdict.FAILED, "ours\nb")
    for occupy in ("echo theirs > b.test.js", "ln -sf /etc/hosts b.test.js",
                   "rm b.test.js; mkdir b.test.js; echo theirs > b.test.js/x"):  # fmt: skip
        subprocess.run(["sh", "-c", occupy], cwd=repo.root / "sub", check=True)
        _, asked, _ = judge()
        assert (asked.verdict, output(asked)) == (Verdict.PASSED, "ours\nb")
    kept = home / "kept"
    kept.mkdir()
    (kept / "b.test.js").write_text("mine")
    (kept / "b.txt").write_text("mine")
    _, asked, _ = judge(f"mv sub gone; ln -s {kept} sub")  # what we remove is not reached by a link
    assert asked.reason == "it changed protected files while it ran: sub/b.txt"
    shutil.rmtree(repo.root / "sub")
    (repo.root / "sub").symlink_to(kept)
    _, asked, _ = judge()
    assert (asked.verdict, "leads out" in asked.reason) == (Verdict.UNKNOWN, True)
    assert sorted(path.read_text() for path in kept.iterdir()) == ["mine", "mine"]


def test_a_held_out_file_that_is_missing_makes_it_unknown_and_leaves_no_other_behind(
    halls: Halls, home: Path, one_slot: None
) -> None:
    (home / "hidden.py").write_text("hidden")
    tree = halls.trees.take_snapshot().tree
    held = (str(home / "hidden.py"), str(home / "gone.py"))
    criteria = {
        "A": Criterion("A", "", sh("true"), held_out=held),
        "B": Criterion("B", "", sh("test ! -e held_out")),
    }

    seen = halls.hall(criteria).run_jobs([CheckJob(name, tree) for name in criteria])

    assert seen[CheckJob("A", tree)].verdict is Verdict.UNKNOWN
    assert "gone.py" in seen[CheckJob("A", tree)].reason
    assert seen[CheckJob("B", tree)].verdict is Verdict.PASSED


def test_nothing_that_a_check_started_outlives_the_hall(halls: Halls, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    daemon = f"env -i setsid sh -c 'echo $$ > {pid}; exec sleep 1000' >/dev/null 2>&1 &"

    (seen,) = halls.run(sh(f"{daemon} while ! test -s {pid}; do sleep 0.01; done"))

    assert seen.verdict is Verdict.PASSED
    deadline = time.monotonic() + patience(20)
    while os.path.exists(f"/proc/{pid.read_text().strip()}"):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_check_that_blows_up_does_not_hang_the_rest(halls: Halls) -> None:
    tree = halls.trees.take_snapshot().tree
    jobs = [CheckJob(name, tree) for name in ("nobody knows it", *"ABCD")]
    hall = halls.hall({name: Criterion(name, "", sh("true")) for name in "ABCD"})

    with pytest.raises(KeyError, match="nobody knows it"):
        hall.run_jobs(jobs)

    (seen,) = halls.run(sh("cat a.txt"))  # and every slot is free again
    assert output(seen) == "a"


@pytest.mark.parametrize("level", LEVELS)
def test_a_check_may_run_in_a_folder_and_still_sees_the_rest(
    level: Isolation, repo: Repository
) -> None:
    halls = Halls(repo, isolation=level)

    (seen,) = halls.run(sh("cat b.txt ../a.txt && touch ../written", cwd="sub"))

    assert (seen.verdict, output(seen)) == (Verdict.PASSED, "b\na")


@pytest.mark.parametrize("level", LEVELS)
def test_a_folder_that_leads_out_of_the_checkout_is_not_entered(
    level: Isolation, repo: Repository, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (repo.root / "out").symlink_to(tmp_path / "outside")
    halls = Halls(repo, isolation=level)

    (seen,) = halls.run(sh("touch planted", cwd="out"))

    assert seen.verdict is Verdict.UNKNOWN
    assert not (tmp_path / "outside/planted").exists()


def test_a_report_that_came_with_the_tree_is_no_report(repo: Repository, one_slot: None) -> None:
    forged = '<testsuite tests="1"><testcase classname="t" name="a"/></testsuite>'
    repo.write("report.xml", forged)
    repo.write("good.xml", forged)
    (repo.root / "link.xml").symlink_to("good.xml")
    halls = Halls(repo)

    seen = halls.run(
        check("junit", ["true"], report="report.xml"),
        check("junit", ["true"], report="link.xml"),
        check("junit", ["ln", "-s", "good.xml", "made.xml"], report="made.xml"),
        check("junit", ["cp", "good.xml", "made.xml"], report="made.xml"),
    )

    assert [each.verdict for each in seen] == [*[Verdict.UNKNOWN] * 3, Verdict.PASSED]


def test_a_suite_that_leaves_early_cannot_bring_its_report_along(repo: Repository) -> None:
    forged = '<testsuite tests="1"><testcase classname="tests.test_a" name="test_a"/></testsuite>'
    repo.write("tests/test_a.py", "import os\nos._exit(0)\n")
    repo.write("results.xml", forged)
    halls = Halls(repo)
    halls.environ["PATH"] = f"{lean_python()}:{os.environ['PATH']}"

    (seen,) = halls.run(
        check("pytest", "tests", env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
    )

    assert seen.verdict is Verdict.UNKNOWN, seen


def test_checks_see_the_variables_they_may_and_no_others(halls: Halls) -> None:
    halls.environ |= {"SECRET": "s", "JAVA_HOME": "/opt/java", "LD_PRELOAD": "x.so"}
    halls.keep = ("JAVA_HOME", "LD_PRELOAD")

    (seen,) = halls.run(sh("echo $SECRET/$JAVA_HOME/$LD_PRELOAD/$OWN", env={"OWN": "mine"}))

    assert output(seen) == "//opt/java//mine"


@pytest.mark.needs("bwrap")
def test_nothing_around_a_check_tells_that_it_is_watched(repo: Repository) -> None:
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    halls.environ["PATH"] = f"{lean_python()}:{os.environ['PATH']}"
    halls.protected = frozenset({"old.pyc"})
    repo.write("old.pyc", "kept in the tree, and written anew whenever the source is newer")
    repo.write("app.py", "")
    repo.write(
        "tests/test_a.py",
        "import os, sys\n"
        "def test_a():\n"
        "    import app\n"
        "    told = {k: v for k, v in os.environ.items() if k != 'PATH'}\n"
        "    seen = (told, sys.argv, os.getcwd(), *os.listdir('.'))\n"
        "    assert 'goalkeeper' not in str(seen).lower()\n"
        "    assert told['HOME'] == '/home/' + told['USER'], told\n"
        "    assert not sys.dont_write_bytecode and os.path.isdir('__pycache__')\n"
        "    assert not set(told) & {'NO_COLOR', 'npm_config_offline', 'PIP_RETRIES'}\n",
    )

    seen = halls.run(check("pytest", "tests", args=["-s"]), sh("ls -A; echo > old.pyc"))

    assert [each.verdict for each in seen] == [Verdict.PASSED] * 2, output(seen[0])
    assert "__pycache__" not in output(seen[1])


@pytest.mark.needs("bwrap")
def test_a_credential_that_comes_between_two_checks_stays_hidden(
    repo: Repository, home: Path
) -> None:
    tools = home / ".cargo"
    for name in ("bin/tool", "sub/notes"):
        (tools / name).parent.mkdir(parents=True)
        (tools / name).touch()
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    halls.environ |= {"HOME": str(home), "PATH": f"{tools}/bin:{os.environ['PATH']}"}
    tree = halls.trees.take_snapshot().tree
    call = ProgramCall(("sh", "-c", f"cd {tools}/sub && ls"), {})
    with (
        CheckoutPool(halls.trees).lease_slot(tree) as slot,
        Workspace(halls.trees, slot, tree, halls.terms(tree)) as workspace,
    ):
        workspace.set_up()
        before = workspace.run_program(call).require_exit()
        (tools / "sub" / "token").touch()
        after = workspace.run_program(call).require_exit()

    assert (before.out.text, after.out.text) == ("notes\n", "notes\n")


@pytest.mark.needs("bwrap")
@pytest.mark.skipif(not os.access("/opt", os.W_OK), reason="only root has a place that all see")
def test_a_socket_that_goes_between_two_checks_is_in_nobodys_way(repo: Repository) -> None:
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    tree = halls.trees.take_snapshot().tree
    with (
        tempfile.TemporaryDirectory(dir="/opt") as place,
        socket.socket(socket.AF_UNIX) as answering,
        CheckoutPool(halls.trees).lease_slot(tree) as slot,
        Workspace(halls.trees, slot, tree, halls.terms(tree)) as workspace,
    ):
        os.chmod(place, 0o755)
        answering.bind(f"{place}/socket")
        call = ProgramCall(("ls", place), {})
        workspace.set_up()
        before = workspace.run_program(call).require_exit()
        os.unlink(f"{place}/socket")
        after = workspace.run_program(call).require_exit()

    assert (before.out.text, after.out.text) == ("socket\n", "")
