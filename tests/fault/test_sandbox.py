"""What the sandbox shows, whom it serves, and when there is none."""

import os
import pwd
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.system.run import Exited, ProgramLimits, Signalled
from goalkeeper.witness import isolation
from goalkeeper.witness.isolation import Isolation, IsolationUnavailable, measure_strength
from goalkeeper.witness.sandbox import build_sandbox_command, run_in_sandbox
from goalkeeper.witness.sockets import list_sockets
from tests.fault.yard import SECRET, Yard

KEPT_BY_TOOLS = (
    ".env", ".env.local", "prod.env", "id_ed25519", "id_rsa", "client.p12", "store.jks", "my.kdbx",
    "server.pem", "cert-key.pem", "password.txt", ".pgpass", "pip.conf", "kubeconfig", "hosts.yml",
    "cookies.sqlite", "session.db", "wallet.dat", ".htpasswd", "service-account.json", "gh-token",
    "auth.json",
)  # fmt: skip


def test_the_levels_have_an_order() -> None:
    assert sorted(Isolation, key=measure_strength) == ["none", "checkout", "sandbox"]


@pytest.mark.needs("bwrap")
def test_in_the_sandbox_signals_and_missing_programs_keep_their_meaning(
    tmp_path: Path, home: Path
) -> None:
    yard = Yard(tmp_path, home, Isolation.SANDBOX)

    assert "no-such-program" in getattr(yard.run("no-such-program"), "reason", "")
    assert isinstance(ran := yard.run("sh", "-c", "kill -SEGV $$"), Signalled)
    assert ran.signal == signal.SIGSEGV
    assert isinstance(ran := yard.run("sh", "-c", "exit 3"), Exited)
    assert ran.code == 3


@pytest.mark.needs("bwrap")
def test_in_the_sandbox_tools_below_the_home_stay_without_the_credentials_beside_them(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = {
        ".cargo/bin/tool",
        ".cargo/registry/x",
        ".rustup/x",
        ".cargo/bin/cargo-credential",
        ".local/bin/tool",
        ".local/share/acme/bin/tool",
        ".local/share/acme/auth/x",
        ".local/share/uv/tools/t/lib/python3/token.py",
        ".odd/bin/tool",
        ".pyenv/bin/tool",
        ".pyenv/versions/3/bin/tool",
        ".pyenv/versions/3/lib/python3/tokenize.py",
        ".pyenv/versions/3/lib/python3/secrets.py",
        ".pyenv/versions/3/lib/libsecret.so.1",
        ".pyenv/versions/3/ssl/cacert.pem",
        ".pyenv/versions/3/include/token.h",
        ".pyenv/versions/3/config.json",
        ".pyenv/versions/3/secrets/__init__.py",
        ".pyenv/share/tokenizer.json",
        "tools/bin/tool",
        "tools/bin/session",
        "tools/lib/node_modules/auth/index.js",
    }
    unseen = {
        ".cargo/credentials.toml",
        ".cargo/config.toml",
        ".cargo/sub/deep/.npmrc",
        ".local/share/acme/auth/tokens.json",
        ".local/share/uv/credentials/x",
        ".local/share/uv/x",
        ".local/state/x",
        ".npmrc",
        ".odd/config",
        ".ssh/id",
        ".cargo/ssh/id",
        *(f".local/share/acme/{name}" for name in KEPT_BY_TOOLS),
        ".pyenv/.env",
        ".pyenv/.git/config",
        ".pyenv/share/token",
        ".pyenv/plugins/x/credentials.json",
        ".pyenv/plugins/x/.git/config",
        ".pyenv/versions/3/lib/python3/.netrc",
        ".pyenv/versions/3/bin/.env",
        "tools/bin/id_rsa",
        "tools/conf/secrets.toml",
    }
    (home / ".pyenv/plugins/x/bin").mkdir(parents=True)
    (home / ".cargo").mkdir()
    (home / ".cargo" / "ssh").symlink_to("../.ssh")
    (home / ".ssh").mkdir()
    for name in shown | unseen:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("#!/bin/sh\necho here\n")
        (home / name).chmod(0o755)
    places = [str((home / name).parent) for name in shown if name.endswith("/tool")]
    monkeypatch.setenv("PATH", os.pathsep.join([*places, os.environ["PATH"]]))
    yard = Yard(tmp_path, home, Isolation.SANDBOX)

    ran = yard.python(
        "import os, sys; print(*(n for n in sys.argv[2:] if os.path.isfile(f'{sys.argv[1]}/{n}')"
        " and open(f'{sys.argv[1]}/{n}').read()))",
        home,
        *shown | unseen,
    )
    assert isinstance(ran, Exited), ran
    assert set(ran.out.text.split()) == shown
    assert isinstance(tool := yard.run("tool"), Exited)
    assert tool.out.text == "here\n"
    assert isinstance(yard.run("touch", str(home / ".cargo" / "planted")), Exited)
    assert not (home / ".cargo" / "planted").exists()


@pytest.mark.needs("bwrap")
def test_a_demand_is_met_also_where_the_caller_leaves_bubblewrap_out_of_path(
    tmp_path: Path,
) -> None:
    nowhere = {"PATH": str(tmp_path)}

    assert isolation.choose_isolation(None, os.environ) is Isolation.SANDBOX
    assert isolation.choose_isolation(Isolation.NONE, os.environ) is Isolation.NONE
    assert isolation.choose_isolation(None, nowhere) is Isolation.SANDBOX
    assert isolation.choose_isolation(Isolation.SANDBOX, nowhere) is Isolation.SANDBOX


@pytest.mark.skipif(os.geteuid() != 0, reason="a bubblewrap that root did not install is not used")
def test_a_bubblewrap_that_does_not_work_is_none(tmp_path: Path) -> None:
    put_program(tmp_path / "bwrap", "echo no user namespaces >&2; exit 1")
    environ = {"PATH": str(tmp_path)}

    assert isolation.choose_isolation(None, environ) is Isolation.CHECKOUT
    with pytest.raises(IsolationUnavailable) as refused:
        isolation.choose_isolation(Isolation.SANDBOX, environ)
    assert refused.value.facts["reason"] == "no user namespaces"


@pytest.mark.needs("bwrap")
def test_both_homes_are_hidden_and_without_either_there_is_no_sandbox(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = pwd.getpwuid(os.getuid()).pw_dir
    yard = Yard(tmp_path, home, Isolation.SANDBOX)
    compare = f"import os; print(*(os.stat(h).st_ino for h in {[str(home), account]!r}))"

    ran = yard.python(compare)

    assert isinstance(ran, Exited)
    seen = [int(number) for number in ran.out.text.split()]
    assert set(seen).isdisjoint({os.stat(home).st_ino, os.stat(account).st_ino})
    without_home = {"PATH": os.environ["PATH"]}
    assert isolation.choose_isolation(None, without_home) is Isolation.SANDBOX
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)  # no account has this number
    assert isolation.choose_isolation(None, without_home) is Isolation.CHECKOUT
    assert "names a home" in isolation.explain_no_sandbox(without_home)


@pytest.mark.needs("bwrap")
def test_a_home_among_programs_cannot_be_hidden_so_there_is_no_sandbox(home: Path) -> None:
    usual = {"PATH": os.environ["PATH"], "HOME": str(home)}

    assert isolation.explain_no_sandbox(usual) == ""  # this is kept for later
    reason = isolation.explain_no_sandbox({**usual, "HOME": "/usr/share"})
    assert "/usr/share lies among programs" in reason


def test_a_socket_that_was_bound_by_a_relative_path_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as answering:
        answering.bind("relative")
        assert str(tmp_path.resolve() / "relative") in list_sockets()


@pytest.mark.needs("bwrap")
def test_in_the_sandbox_the_home_of_a_service_is_hidden(tmp_path: Path, home: Path) -> None:
    """Such a home may lie in a folder of the system, which is shown."""
    yard = Yard(tmp_path, home, Isolation.SANDBOX)
    yard.user_environ["HOME"] = "/var/lib/dpkg" if os.path.isdir("/var/lib/dpkg") else "/var/lib"

    ran = yard.run("ls", "-A", yard.user_environ["HOME"])

    assert isinstance(ran, Exited)
    assert os.listdir(yard.user_environ["HOME"])
    assert (ran.code, ran.out.text) == (0, "")


@pytest.mark.needs("bwrap")
@pytest.mark.skipif(os.geteuid() != 0, reason="a bubblewrap that root did not install is not used")
def test_a_sandbox_that_is_open_is_none_and_a_shut_one_is_tried_once(
    tmp_path: Path, home: Path
) -> None:
    """The other bubblewrap leaves out the filter of system calls."""
    real, log = shutil.which("bwrap"), tmp_path / "log"
    environ = {"PATH": str(tmp_path), "HOME": str(home)}
    put_program(tmp_path / "bwrap", f'echo tried >> {log}; shift 2; exec {real} "$@"')

    assert isolation.choose_isolation(None, environ) is Isolation.CHECKOUT
    reason = isolation.explain_no_sandbox(environ)
    assert reason.startswith("a trial found these open: keys, user namespaces, io_uring")

    forget_trials()
    put_program(tmp_path / "bwrap", f'echo tried >> {log}; exec {real} "$@"')
    assert isolation.choose_isolation(None, environ) is Isolation.SANDBOX
    forget_trials()
    assert isolation.choose_isolation(None, environ) is Isolation.SANDBOX
    assert log.read_text() == "tried\n" * 2


def forget_trials() -> None:
    """Make this process know as little as another one does."""
    isolation.recall_trial.cache_clear()
    isolation.try_sandbox.cache_clear()


def put_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.needs("bwrap")
def test_a_tool_inside_a_hidden_place_stays_hidden(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = Yard(tmp_path, home, Isolation.SANDBOX)
    monkeypatch.setenv("PATH", f"{yard.key.parent}:{os.environ['PATH']}")

    ran = yard.run("cat", str(yard.key))

    assert isinstance(ran, Exited)
    assert ran.out.whole == b""


@pytest.mark.needs("bwrap")
def test_a_hidden_file_cannot_be_read(tmp_path: Path, home: Path) -> None:
    yard = Yard(tmp_path, home, Isolation.SANDBOX)
    notes = yard.checkout / "notes"
    notes.write_text(SECRET)
    argv = build_sandbox_command(
        ["cat", "notes"],
        checkout=str(yard.checkout),
        home=str(yard.home),
        tmp=str(yard.tmp),
        hidden=[str(notes)],
        path=yard.env["PATH"],
        user_homes=[str(home)],
    )

    ran = run_in_sandbox(
        argv, cwd=str(yard.checkout), env=yard.env, limits=ProgramLimits(free_mb=0)
    )

    assert isinstance(ran, Exited)
    assert (ran.code, ran.out.whole) == (1, b"")


@pytest.mark.needs("bwrap")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_sandbox_serves_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.defpath)  # ours may lead to places that are closed to others
    nobody = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory() as name:
        base, home = Path(name), Path(name) / "user"
        home.mkdir()
        yard = Yard(base, home, Isolation.SANDBOX)
        for path in (base, *base.rglob("*")):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        tries = f"id -u; cat {yard.ledger} {yard.diary}; touch {home}/planted ok; ls {home}; ls"

        said = as_another_user(nobody, lambda: getattr(yard.run("sh", "-c", tries), "out").text)  # noqa: B009

        assert said.split() == [str(nobody.pw_uid), "planted", "ok"]
        assert not (home / "planted").exists()
        assert (yard.checkout / "ok").exists()


def as_another_user(user: pwd.struct_passwd, act: Callable[[], str]) -> str:
    """Return what a child process says that has become this user."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setgid(user.pw_gid)
            os.setuid(user.pw_uid)
            os.write(writing, act().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said
