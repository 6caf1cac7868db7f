"""`install` that is killed, has no space, no rights or ill will in its way: whole, or undone."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from goalkeeper.cli.commands.hold import installs
from goalkeeper.storage.lock import hold_lock
from tests.e2e.installs import CODEX, MERGED, OURS, Home, House, Seen, put
from tests.fault.test_disk import no_file_longer_than, read_only
from tests.tables import for_each, sampled

OLD_PYTHON = "/older/bin/python"
NEVER = 1 << 30
UPGRADED = [CODEX, House("copilot", "user")]  # a file of the user's and ours; ours alone

# A process that has installed once, so that all is loaded; each child that it forks is killed
# before its nth change of a file: the interpreter itself says when one is about to be made.
SERVER = """
import contextlib, io, json, os, signal, sys
from goalkeeper.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    for command in ("install", "uninstall"):
        assert main([command, *sys.argv[1:]]) == 0
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.link", "os.symlink"}

def carry_out(order):
    os.chdir(order["root"])
    os.environ.clear()
    os.environ.update(order["env"])
    for stream in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    left = order["nth"]
    def seen(event, args):
        nonlocal left
        writes = event == "open" and isinstance(args[2], int) and args[2] & os.O_CREAT
        if writes or event in CHANGES:
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
    sys.addaudithook(seen)
    return main(order["argv"])

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os._exit(carry_out(json.loads(line)))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Killer:
    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def kills(self, home: Home, nth: int, *argv: str) -> bool:
        """Run the command and kill it before its nth change; False when it ended before that."""
        assert self._server.stdin
        assert self._server.stdout
        order = {"root": str(home.root), "env": home.environ(), "nth": nth, "argv": argv}
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        assert code in (0, -signal.SIGKILL)
        return code != 0


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    first, pipe = Home(tmp_path_factory.mktemp("first"), git=False), subprocess.PIPE
    words = [sys.executable, "-c", SERVER, *CODEX.words]
    with subprocess.Popen(
        words, cwd=first.root, env=first.environ(), stdin=pipe, stdout=pipe, text=True
    ) as server:
        yield Killer(server)


def killed_at_every_change(
    killer: Killer, place: Path, words: tuple[str, ...], *before: tuple[str, ...]
) -> Iterator[tuple[Home, Seen]]:
    """Each time a home as it was left by the kill, and as it looked before anything.

    Skills are written one like the other, in fewer than seven changes: behind the first ones, one
    change in nineteen is enough, and it is another one of these each time.
    """
    for nth in chain(range(20), range(20, NEVER, 19)):
        home = Home(place / str(nth), git=False)
        seen = home.seen()
        for earlier in before:
            home.did(*earlier)
        if not killer.kills(home, nth, *words):
            return
        yield home, seen


def test_a_killed_install_is_mended_by_another_and_undone(killer: Killer, tmp_path: Path) -> None:
    words = ("install", *CODEX.words)
    whole = set()
    kills = 0
    for home, before in killed_at_every_change(killer, tmp_path, words):
        kills += 1
        whole.add(home.file(CODEX).read_bytes())
        home.did(*words)
        home.did("uninstall", *CODEX.words)
        assert home.seen() == before, kills

    assert kills > 5
    assert len(whole) <= 2  # as it was, or as it is to be


def test_a_killed_install_is_undone_as_it_is(killer: Killer, tmp_path: Path) -> None:
    for home, before in killed_at_every_change(killer, tmp_path, ("install", *CODEX.words)):
        answer = home.call("uninstall", *CODEX.words, "--json")
        assert answer.code == 0 or answer.reason == "not-installed"
        assert home.seen() == before


@pytest.mark.thorough
def test_a_killed_uninstall_is_ended_by_another(killer: Killer, tmp_path: Path) -> None:
    install, words = ("install", *CODEX.words), ("uninstall", *CODEX.words)
    for home, before in killed_at_every_change(killer, tmp_path, words, install):
        answer = home.call(*words, "--json")
        assert answer.code == 0 or answer.reason == "not-installed"
        assert home.seen() == before


@pytest.mark.parametrize("house", sampled(UPGRADED, one_in=2), ids=str)
@pytest.mark.thorough
def test_a_killed_upgrade_is_mended_by_another_and_undone(
    house: House, killer: Killer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("install", *house.words)
    monkeypatch.setattr(sys, "executable", OLD_PYTHON)  # in here; not where it is killed
    for home, before in killed_at_every_change(killer, tmp_path, words, words):
        assert not killer.kills(home, NEVER, *words)
        assert not holds(home, OLD_PYTHON)
        home.did("uninstall", *house.words)
        assert home.seen() == before


@pytest.mark.parametrize("house", sampled(UPGRADED, one_in=2), ids=str)
def test_a_killed_upgrade_is_undone_as_it_is(
    house: House, killer: Killer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("install", *house.words)
    monkeypatch.setattr(sys, "executable", OLD_PYTHON)
    for home, before in killed_at_every_change(killer, tmp_path, words, words):
        home.did("uninstall", *house.words)
        assert home.seen() == before


def holds(home: Home, text: str) -> bool:
    return any(text.encode() in data for _, _, data in home.seen().values())


@pytest.mark.thorough
def test_an_install_that_finds_no_space_is_whole_or_has_not_happened(tmp_path: Path) -> None:
    codes = set()
    for number, size in enumerate(range(0, 10000, 700)):
        home = Home(tmp_path / str(number), git=False)
        before = home.seen()
        with no_file_longer_than(size):
            answer = home.call("install", *CODEX.words)
        codes.add(answer.code)
        assert answer.code in (0, 5), answer
        assert answer.code == 0 or home.seen() == before, (size, answer.err)
        home.did("install", *CODEX.words)
        home.did("uninstall", *CODEX.words)
        assert home.seen() == before

    assert codes == {0, 5}


def test_a_read_only_home_is_named_and_nothing_is_changed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    before = home.all_seen()

    with read_only(home.home):
        answer = home.run("install", "claude", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert "Read-only file system" in answer.err
    assert home.all_seen() == before


@for_each("place", [".codex", ".agents"])
def test_a_read_only_folder_of_a_client_is_named_and_nothing_is_changed(
    place: str, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    before = home.seen()

    with read_only(home.home / place):
        answer = home.run("install", "codex", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert home.seen() == before
    looked = home.run("doctor", "--json")
    assert looked.json["clients"] == []


def test_what_cannot_be_undone_now_is_undone_later(tmp_path: Path) -> None:
    home = Home(tmp_path)
    before = home.seen()
    home.did("install", "codex")

    with read_only(home.home / ".agents"):
        answer = home.run("uninstall", "codex", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    home.did("uninstall", "codex")
    assert home.seen() == before


def test_an_upgrade_that_fails_leaves_what_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    before = home.seen()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", OLD_PYTHON)
        home.did("install", "codex")
    skill = put(home.home / ".agents/skills/goalkeeper-ultraplan/SKILL.md", "to be written anew\n")
    installed = home.all_seen()

    with read_only(skill.parent):
        answer = home.run("install", "codex", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert str(skill) in answer.json["error"]["message"]
    assert without_backups(home.all_seen()) == without_backups(installed)
    skill.unlink()
    home.did("uninstall", "codex")
    assert {**home.seen(), **before} == home.seen()


def without_backups(seen: Seen) -> Seen:
    kept = "home/.local/state/goalkeeper/installed/codex-user/"
    return {name: each for name, each in seen.items()
            if not name.startswith(kept) or name.endswith("record.json")}  # fmt: skip


def test_what_a_killed_install_left_beside_files_is_swept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    before = home.seen()
    home.did("install", "codex")
    left = put(home.home / ".codex/hooks.json.goalkeeper-123", "half")
    mine = put(home.home / ".codex/hooks.json.goalkeeper-notes", "mine")

    home.did("install", "codex")
    assert not left.exists()
    put(left, "half")
    home.did("uninstall", "codex")

    assert mine.read_text() == "mine"
    mine.unlink()
    assert home.seen() == before


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_one_who_comes_while_another_is_at_it_waits_and_is_told(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path)
    home.did("install", "codex")
    before = home.seen()
    monkeypatch.setattr(installs, "_LOCK_SECONDS", 0.05)
    lock = home.records.with_name("install.lock")

    with hold_lock(str(lock), shared=False, timeout_seconds=1):
        answer = home.call(command, "codex", "--json")

    assert (answer.code, answer.reason) == (75, "lock-busy")
    assert home.seen() == before


@for_each("place", [".codex", ".agents", ".agents/skills", ".local/state"])
def test_a_file_where_a_folder_should_be_is_named_and_nothing_is_written(
    place: str, tmp_path: Path
) -> None:
    home = Home(tmp_path, bare=True)
    put(home.home / place, "mine\n")
    before = home.all_seen()

    answer = home.run("install", "codex", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert home.all_seen() == before


def test_a_folder_that_leads_where_nothing_can_be_made_leaves_no_half_of_it(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path, bare=True)
    (home.home / ".agents").symlink_to("/proc/self")
    before = home.seen()

    answer = home.call("install", "codex", "--json")

    assert (answer.code, answer.reason) == (5, "disk-failed")
    assert home.seen() == before


@for_each("house", MERGED, ids=str)
def test_a_link_laid_in_our_way_is_not_written_through(house: House, tmp_path: Path) -> None:
    home = Home(tmp_path)
    victim = put(home.home / "victim", "precious\n")
    path = home.file(house)
    path.with_name(f"{path.name}.goalkeeper").symlink_to(victim)

    home.call("install", *house.words)

    assert victim.read_text() == "precious\n"
    assert not path.is_symlink()


@for_each("record", ["", "{", "[]", "{}", '{"files": [1]}', '{"files": 1}', "\0"])
def test_a_record_that_is_lost_takes_nothing_of_the_users_with_it(
    record: str, tmp_path: Path
) -> None:
    home = Home(tmp_path)
    mine = home.file(CODEX).read_bytes()
    home.did("install", "codex")
    put(home.records / "codex-user/record.json", record)

    lost = home.all_seen()
    answer = home.call("uninstall", "codex", "--json")
    assert (answer.code, answer.reason) == (3, "record-unreadable")
    assert home.all_seen() == lost
    home.did("install", "codex")
    home.did("uninstall", "codex")

    assert [path.parent.name for path in home.home.rglob(".agents/**/SKILL.md")] == ["mine"]
    assert OURS.encode() not in home.file(CODEX).read_bytes()
    assert json.loads(home.file(CODEX).read_bytes()) == json.loads(mine)


def test_many_installs_at_once_are_as_good_as_one(tmp_path: Path) -> None:
    home = Home(tmp_path)
    before = home.seen()
    words = [sys.executable, "-m", "goalkeeper", "install", "codex"]
    many = [
        subprocess.Popen(
            words, cwd=home.root, env=home.environ(),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]  # fmt: skip
    said = [each.communicate()[1] for each in many]

    assert [each.returncode for each in many] == [0] * 4, said
    assert json.loads(home.file(CODEX).read_bytes())
    home.did("uninstall", "codex")
    assert home.seen() == before
    assert not os.path.exists(home.records)
