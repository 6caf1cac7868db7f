"""Set-up: once for a slot and its lockfiles, and again when anything of it is in doubt."""

import json
import socket
from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.witness.isolation import Isolation
from tests.contract.witness.repository import Repository
from tests.contract.witness.schedulers import Halls, output, sh, spoil_in_shared_memory
from tests.tables import for_each

TOOL = (
    "mkdir -p .venv/bin && printf '#!/bin/sh\\necho from set-up\\n' > .venv/bin/tool && "
    "chmod +x .venv/bin/tool"
)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "repo")
    repo.write("uv.lock", "one\n")
    repo.write("a.txt", "a\n")
    return repo


@pytest.fixture
def halls(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> Halls:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})  # so that there is one slot
    return Halls(repo)


def counted(halls: Halls, tmp_path: Path, text: str = TOOL) -> Path:
    """Set-up that leaves a line for each time it ran."""
    log = tmp_path / "log"
    log.touch()
    halls.setup = (("sh", "-c", f"echo ran >> {log}; {text}"),)
    return log


def times(log: Path) -> int:
    return len(log.read_text().splitlines())


def test_it_runs_once_for_all_checks_and_proofs(halls: Halls, tmp_path: Path) -> None:
    log = counted(halls, tmp_path)

    first = halls.run(sh("tool"), sh("tool; rm a.txt"))
    second = halls.run(sh("tool"))

    assert [output(seen) for seen in (*first, *second)] == ["from set-up"] * 3
    assert times(log) == 1


def test_another_lockfile_needs_it_again(halls: Halls, repo: Repository, tmp_path: Path) -> None:
    log = counted(halls, tmp_path)
    halls.run(sh("tool"))
    repo.write("a.txt", "no lockfile\n")
    halls.run(sh("tool"))
    assert times(log) == 1

    repo.write("uv.lock", "two\n")
    halls.run(sh("tool"))
    repo.write("web/package.json", "{}")
    halls.run(sh("tool"))

    assert times(log) == 3


def test_another_command_needs_it_again(halls: Halls, tmp_path: Path) -> None:
    log = counted(halls, tmp_path)
    halls.run(sh("tool"))
    counted(halls, tmp_path, "true")

    (seen,) = halls.run(sh("tool"))

    assert times(log) == 2
    assert seen.verdict is not Verdict.PASSED  # what the other command had made is gone


SPOILT = (
    "echo evil > .venv/bin/tool",
    "echo 1 > .venv/lib.pth",
    "rm -r .venv",
    "chmod 777 .venv/bin/tool",
    "mv .venv x; mv x .venv; touch -r a.txt .venv/bin/tool",
    "ln -sf /bin/true .venv/bin/tool",
    "rm .venv/bin/tool",
    spoil_in_shared_memory(".venv/bin/tool"),
    "rm -r .venv",
)


def test_what_a_check_did_to_it_is_undone_and_costs_no_other_set_up(
    halls: Halls, tmp_path: Path
) -> None:
    log = counted(halls, tmp_path)
    look = sh("tool; ls .venv/lib.pth")

    for tampering in SPOILT:
        _, after = halls.run(sh(tampering), look)

        assert output(after) == "from set-up", tampering
        assert "No such file" in getattr(getattr(after.ended, "ran", None), "err").text, tampering  # noqa: B009
    assert times(log) == 1


def test_a_copy_that_a_check_has_changed_is_not_used(halls: Halls, tmp_path: Path) -> None:
    log = counted(halls, tmp_path)
    write = "echo evil > ../pristine/.venv/bin/tool"
    spoil = spoil_in_shared_memory("../pristine/.venv/bin/tool")

    seen = halls.run(
        sh(f"{write}; rm -r .venv"), sh("tool"), sh(f"{spoil}; rm -r .venv"), sh("tool")
    )

    assert [output(each) for each in seen[1::2]] == ["from set-up"] * 2
    assert times(log) == 3


def test_a_fresh_proof_makes_it_anew(halls: Halls, tmp_path: Path) -> None:
    log = counted(halls, tmp_path)
    halls.run(sh("tool"))
    halls.fresh = True

    halls.run(sh("tool"))

    assert times(log) == 2


@for_each(
    ("command", "cause"),
    [
        (("sh", "-c", "echo no network >&2; exit 3"), "failed (exit 3): no network"),
        (("sh", "-c", "echo only words; exit 1"), "failed (exit 1): only words"),
        (("no-such-program",), "could not be started"),
        (("sh", "-c", "kill -9 $$"), "failed (it was killed by signal 9)"),
    ],
)
def test_without_set_up_nothing_is_known(
    command: tuple[str, ...], cause: str, halls: Halls
) -> None:
    halls.setup = (("true",), command, ("touch", "never"))

    seen = halls.run(sh("true"), sh("false"))

    assert {each.verdict for each in seen} == {Verdict.UNKNOWN}
    assert all(each.reason.startswith("set-up: ") and cause in each.reason for each in seen)


def test_set_up_that_cannot_be_repeated_makes_the_rest_unknown(
    halls: Halls, tmp_path: Path
) -> None:
    counted(halls, tmp_path, f"{TOOL}; mkdir {tmp_path}/only-once")

    first, second = halls.run(sh("rm -r .venv ../pristine"), sh("false"))

    assert first.verdict is Verdict.PASSED
    assert second.verdict is Verdict.UNKNOWN
    assert second.reason.startswith("set-up: ")


def test_what_failing_set_up_left_is_not_used(halls: Halls, tmp_path: Path) -> None:
    halls.setup = (("sh", "-c", f"{TOOL}; exit 1"),)
    halls.run(sh("tool"))
    halls.setup = ()

    (seen,) = halls.run(sh("ls -A; tool"))

    assert seen.verdict is Verdict.FAILED
    assert output(seen).split() == ["a.txt", "uv.lock"]


def test_programs_that_came_with_the_tree_are_not_found_by_name(
    halls: Halls, repo: Repository
) -> None:
    for folder in (".venv/bin", "venv/bin", "node_modules/.bin", "bin"):
        repo.write(f"{folder}/tool", "#!/bin/sh\necho from the tree\n", 0o755)

    (seen,) = halls.run(sh("tool"))
    halls.setup = (("true",),)
    (with_set_up,) = halls.run(sh("tool"))

    assert {seen.verdict, with_set_up.verdict} == {Verdict.FAILED}
    assert output(seen) == output(with_set_up) == ""


@for_each("folder", [".venv/bin", "venv/bin", "node_modules/.bin"])
def test_programs_that_set_up_made_are_found_by_name(folder: str, halls: Halls) -> None:
    halls.setup = (("sh", "-c", TOOL.replace(".venv/bin", folder)),)

    (seen,) = halls.run(sh("tool"))

    assert output(seen) == "from set-up"


def test_caches_that_set_up_made_are_found_and_those_of_the_tree_are_not(
    repo: Repository, halls: Halls
) -> None:
    repo.write(".go-packages/a", "from the tree\n")
    halls.setup = (("sh", "-c", "mkdir .go-build && touch .go-build/a"),)
    look = sh('ls ~/.cache/go-build && echo "$GOMODCACHE" && rm ~/.cache/go-build/a')

    seen = halls.run(look, look)

    assert [output(each) for each in seen] == ["a", "a"]


@pytest.mark.needs("bwrap")
def test_in_the_sandbox_it_is_made_once_and_no_check_can_change_it(repo: Repository) -> None:
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    make = TOOL.replace(".venv/bin", "node_modules/.bin")
    halls.fetch = (("sh", "-c", f"{make} && date +%N > node_modules/made"),)
    halls.setup = (("sh", "-c", "mkdir venv && date +%N > venv/made && cp a.txt venv"),)
    spoil = "echo evil > node_modules/.bin/tool; rm -r venv; mv node_modules x; touch venv/x; true"
    cache = "echo 1 > node_modules/.cache/a && ls -A node_modules/.cache"
    look = "tool && cat node_modules/made venv/made && ls -A node_modules/.cache venv"

    seen = halls.run(sh(look), sh(spoil), sh(cache), sh(look))
    repo.write("b.txt", "no lockfile\n")
    halls.fresh = True
    seen += halls.run(sh(look))

    first, _, cached, *others = map(output, seen)
    assert first.splitlines()[0] == "from set-up"
    assert cached == "a"
    assert {*others} == {first}


@pytest.mark.needs("bwrap")
def test_what_was_fetched_is_kept_for_another_build(repo: Repository) -> None:
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    halls.fetch = (("sh", "-c", "mkdir venv && date +%N > venv/made && echo kept > ~/cache"),)
    builds = []
    for words in ("one", "two"):
        halls.setup = (("sh", "-c", f"cat ~/cache >> venv/made && echo {words} >> venv/made"),)
        builds += [output(seen).split() for seen in halls.run(sh("cat venv/made"))]

    assert builds[0][0] == builds[1][0]
    assert [each[1:] for each in builds] == [["kept", "one"], ["kept", "two"]]
    for made in Path(halls.trees.checkouts).glob("setups/*/venv/made"):
        made.write_text("spoilt")
    (seen,) = halls.run(sh("cat venv/made"))
    assert output(seen).split()[1:] == ["kept", "two"]
    notes = Path(halls.trees.checkouts).glob("setups/*.json")
    assert sorted(json.loads(note.read_text())["times"] for note in notes) == [1, 2, 2]


@pytest.mark.needs("bwrap")
def test_a_tree_that_has_something_else_where_set_up_makes_something_is_not_checked(
    repo: Repository,
) -> None:
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    halls.setup = (("sh", "-c", "mkdir -p venv"),)
    halls.run(sh("true"))
    (repo.root / "venv").symlink_to("/etc")

    (seen,) = halls.run(sh("true"))

    assert seen.reason == "set-up makes venv, and the tree has something else there"


@pytest.mark.needs("bwrap")
def test_in_the_sandbox_only_fetching_has_the_network_and_it_sees_no_code(
    repo: Repository,
) -> None:
    repo.write("setup.py", "the worker's code\n")
    repo.write("web/package.json", "{}\n")
    repo.write("requirements.txt", "code under another name\n")
    (repo.root / "code.py").symlink_to("requirements.txt")
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    look = "cat a.txt setup.py code.py uv.lock web/package.json"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        call = f"bash -c ': < /dev/tcp/127.0.0.1/{listener.getsockname()[1]}' && echo open"
        script = (
            f"mkdir web/node_modules; ({look}; {call}; env | grep -c npm_) > web/node_modules/x"
        )
        halls.fetch = (("sh", "-c", script),)
        build = f"({call}; cat setup.py; echo $npm_config_offline) > made 2> /dev/null"
        halls.setup = (("sh", "-c", build),)

        (seen,) = halls.run(sh("cat web/node_modules/x made; echo $npm_config_offline"))

    assert output(seen).splitlines() == ["one", "{}", "open", "1", "the worker's code", "true"]
    network = halls.terms(halls.trees.take_snapshot().tree).list_conditions("")
    assert network == ("fetching had the network, and no code of the tree", "set-up had no network")


@pytest.mark.needs("bwrap")
def test_set_up_that_fails_for_want_of_the_network_says_what_has_it(repo: Repository) -> None:
    halls = Halls(repo, isolation=Isolation.SANDBOX)
    halls.setup = (("sh", "-c", "echo no route >&2; exit 1"),)

    (seen,) = halls.run(sh("true"))

    assert seen.reason.endswith("no route; set-up has no network, and [witness] fetch has")


def test_notes_that_cannot_be_read_are_no_notes(halls: Halls, tmp_path: Path) -> None:
    log = counted(halls, tmp_path)
    halls.run(sh("tool"))
    (notes,) = Path(halls.trees.store).glob("slots/*/setup.json")

    for ran, rubbish in enumerate(("", "[]", "{", '{"key": 1}', '{"made": 3}', "null"), 2):
        notes.write_text(rubbish)
        (seen,) = halls.run(sh("tool"))

        assert (output(seen), times(log)) == ("from set-up", ran), rubbish
