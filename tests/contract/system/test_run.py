"""What everybody may rely on who starts a program."""

import hashlib
import os
import resource
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.system import reaper
from goalkeeper.system.output import OutputCapture
from goalkeeper.system.run import (
    MARKER,
    Exited,
    LimitHit,
    NotStarted,
    Signalled,
)
from tests.contract.system.programs import python, started
from tests.fault.rig import wait_until
from tests.tables import for_each

MB = 1 << 20


def test_a_program_that_ends_tells_its_code_and_both_streams() -> None:
    ran = started("sh", "-c", "echo out; echo err >&2; exit 3")

    assert isinstance(ran, Exited)
    assert (ran.code, ran.out.whole, ran.err.whole) == (3, b"out\n", b"err\n")
    assert ran.out.sha256 == hashlib.sha256(b"out\n").hexdigest()
    assert 0 < ran.seconds < 60


def test_a_program_killed_by_a_signal_tells_which() -> None:
    ran = started("sh", "-c", "kill -SEGV $$")

    assert isinstance(ran, Signalled)
    assert ran.signal == signal.SIGSEGV


def test_it_sees_the_environment_it_was_given_and_a_marker_of_its_run() -> None:
    first, second = (started("env") for _ in range(2))

    assert isinstance(first, Exited)
    assert isinstance(second, Exited)
    names = [line.partition("=")[0] for line in first.out.text.splitlines()]
    assert sorted(names) == sorted([MARKER, "PATH"])
    assert first.out.whole != second.out.whole


def test_it_leads_a_session_of_its_own_in_the_directory_it_was_given(tmp_path: Path) -> None:
    ran = python(
        "import os; print(os.getcwd(), os.getsid(0) == os.getpgid(0) == os.getpid())",
        cwd=tmp_path,  # type: ignore[arg-type]
    )

    assert isinstance(ran, Exited)
    assert ran.out.text == f"{tmp_path} True\n"


@for_each("seconds", [0.05, 0.3])
def test_a_program_that_takes_too_long_is_ended(seconds: float) -> None:
    ran = started("sleep", "1000", seconds=seconds)

    assert isinstance(ran, LimitHit)
    assert ran.limit == "time"
    assert seconds <= ran.seconds < seconds + 30


def test_it_may_tidy_up_when_its_time_is_over() -> None:
    ran = started(
        "sh", "-c", "trap 'echo tidied; exit' TERM; echo on; while :; do :; done", seconds=0.3
    )

    assert isinstance(ran, LimitHit)
    assert ran.out.text == "on\ntidied\n"


def test_too_much_output_ends_it_and_only_head_and_tail_are_kept() -> None:
    ran = started("yes", output_mb=3, keep_bytes=1000)

    assert isinstance(ran, LimitHit)
    assert ran.limit == "output"
    assert ran.out.size > 3 * MB
    assert (ran.out.head, len(ran.out.tail)) == (b"y\n" * 250, 500)
    assert ran.out.whole is None
    assert f"\n[{ran.out.size - 1000} bytes left out]\n" in ran.out.text


def test_output_is_counted_over_both_streams() -> None:
    each = "head -c 1500000 /dev/zero"

    assert isinstance(started("sh", "-c", f"{each}; {each} >&2", output_mb=2), LimitHit)
    assert isinstance(started("sh", "-c", f"{each}; {each} >&2", output_mb=3), Exited)


def test_a_file_that_grows_too_large_ends_the_program(tmp_path: Path) -> None:
    ran = started("dd", "if=/dev/zero", f"of={tmp_path / 'big'}", "bs=1M", "count=3", file_mb=2)

    assert isinstance(ran, LimitHit)
    assert ran.limit == "file"
    assert (tmp_path / "big").stat().st_size == 2 * MB


def test_memory_beyond_the_limit_is_not_given() -> None:
    code = "import sys; print(len(bytearray(int(sys.argv[1]) << 20)) >> 20)"

    assert isinstance(enough := python(code, "64", memory_mb=256), Exited)
    assert enough.out.text == "64\n"
    assert isinstance(too_much := python(code, "512", memory_mb=256), Exited)
    assert too_much.code == 1
    assert "MemoryError" in too_much.err.text


def test_a_full_disk_keeps_it_from_starting(tmp_path: Path) -> None:
    ran = started("true", cwd=tmp_path, free_mb=1 << 40)

    assert isinstance(ran, NotStarted)
    assert "free" in ran.reason


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "program"
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    reasons = {
        "missing": started("no-such-program"),
        "missing path": started("./no-such-program"),
        "nothing": started(),
        "directory": started(str(tmp_path)),
        "no cwd": started("true", cwd=tmp_path / "gone"),
        "nul in program": started("a\0b"),
        "nul in argument": started("true", "a\0b"),
        "too long": started("true", "x" * 3_000_000),
        "stray surrogate": started("true", "\ud800"),
        "not executable": started(script(tmp_path, "#!/bin/sh\n", 0o644)),
        "no interpreter": started(script(tmp_path, "#!/no/such/interpreter\n")),
        "no program at all": started(script(tmp_path, "just text\n")),
    }

    told = {name: ran.reason for name, ran in reasons.items() if isinstance(ran, NotStarted)}
    assert told.keys() == reasons.keys()
    assert all(told.values())
    assert not any("prlimit" in reason for reason in told.values())


def test_a_program_that_talks_like_our_helper_is_still_a_program() -> None:
    ran = started("sh", "-c", "echo prlimit: failed >&2; exit 3")

    assert isinstance(ran, Exited)


def test_without_helper_and_handles_the_limits_hold_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("goalkeeper.system.environment._SYSTEM_PATH", "/nowhere")
    monkeypatch.setattr("goalkeeper.system.reaper.open_pidfd", lambda _: None)
    left = "(trap '' HUP; sleep 1000) & echo $!"

    assert isinstance(ran := started("sh", "-c", left), Exited)
    assert not is_running(int(ran.out.text))
    assert isinstance(started("sleep", "1000", seconds=0.1), LimitHit)
    script_text = f"read go < {tmp_path}/go; exec dd if=/dev/zero of={tmp_path}/big bs=1M count=3"
    os.mkfifo(tmp_path / "go")

    def let_go() -> None:
        wait_until(lambda: any(map(is_limited, [*reaper.running])), "the limits to be set")
        (tmp_path / "go").write_text("go\n")

    opener = threading.Thread(target=let_go)
    opener.start()
    ran = started("sh", "-c", script_text, file_mb=2)
    opener.join()
    assert isinstance(ran, LimitHit)
    assert ran.limit == "file"


def test_nothing_is_waited_for_that_a_helper_holds_open() -> None:
    ran = started("sh", "-c", "sleep 1000 & echo done")

    assert isinstance(ran, Exited)
    assert ran.out.text == "done\n"
    assert ran.seconds < 30


def test_what_a_helper_writes_right_after_the_end_is_still_read(tmp_path: Path) -> None:
    ran = started("sh", "-c", "(head -c 300000 /dev/zero; echo late) & exit 0")

    assert isinstance(ran, Exited)
    assert ran.out.size == 300005


def test_no_file_stays_open() -> None:
    started("true")
    before = sorted(os.listdir("/proc/self/fd"))
    for argv in (["true"], ["sh", "-c", "sleep 1000 &"], ["no-such-program"], ["true", "\0"]):
        started(*argv)

    assert sorted(os.listdir("/proc/self/fd")) == before


@given(st.lists(st.binary(max_size=40)), st.integers(0, 30))
def test_a_stream_of_any_length_keeps_its_ends_and_its_digest(
    chunks: list[bytes], half: int
) -> None:
    capture = OutputCapture(2 * half)
    for chunk in chunks:
        capture.add_bytes(chunk)
    whole, stream = b"".join(chunks), capture.to_stream()

    assert (stream.size, stream.sha256) == (len(whole), hashlib.sha256(whole).hexdigest())
    assert whole.startswith(stream.head)
    assert whole.endswith(stream.tail)
    if len(whole) <= 2 * half:
        assert stream.whole == whole
        assert stream.text == whole.decode(errors="backslashreplace")
    else:
        assert stream.whole is None
        assert len(stream.head) == len(stream.tail) == half


def is_limited(pid: int) -> bool:
    return resource.prlimit(pid, resource.RLIMIT_FSIZE) == (2 * MB, 2 * MB)


def is_running(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")
