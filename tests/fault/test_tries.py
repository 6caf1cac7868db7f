"""One hostile program in the sandbox: `tries` says what it tries, and `escapes` what is open."""

import ctypes
import json
import os
import pwd
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from goalkeeper.system.run import Exited
from goalkeeper.witness.isolation import Isolation
from tests.fault import tries
from tests.fault.escapes import TRIED_TOGETHER
from tests.fault.tries import TRIES
from tests.fault.yard import HOMES, SECRET, Yard, make_yard, pipe_in


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("kind", HOMES)
def test_no_try_succeeds_in_the_sandbox_that_the_table_does_not_name(
    kind: str, tmp_path: Path, home: Path
) -> None:
    """That each of them is a real one shows in a checkout, where root can do nearly all."""
    told = {escape.name: escape.sandbox.stopped for escape in TRIED_TOGETHER}
    yard = make_yard(tmp_path, home, Isolation.SANDBOX, kind)

    with planted(yard) as known:
        found = list_open(yard, known)
        yard.level = Isolation.CHECKOUT
        without = list_open(yard, known)

    assert set(TRIES) == set(told)
    assert [name for name in found if told[name]] == []
    assert os.geteuid() != 0 or len(without) > len(TRIES) * 3 / 4


def list_open(yard: Yard, known: dict[str, object]) -> list[str]:
    ran = yard.python(Path(tries.__file__).read_text(), json.dumps(known))
    assert isinstance(ran, Exited), ran
    assert ran.code == 0, ran.err.text
    return list(json.loads(ran.out.text))


@contextmanager
def planted(yard: Yard) -> Iterator[dict[str, object]]:
    """Put around the check what it tries to reach."""
    name = f"planted-{os.getpid()}"
    libc = ctypes.CDLL(None)
    segment = libc.shmget(0, 4096, 0o600)
    shown = "/opt" if os.access("/opt", os.W_OK) else None
    shared = Path("/dev/shm", name)
    neighbour = subprocess.Popen(["sleep", "1000"], env={"PATH": os.defpath, "SECRET": name})
    with (
        tempfile.TemporaryDirectory(dir=shown) as system,
        socket.socket(socket.AF_INET6) as listener,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as local,
        socket.socket(socket.AF_UNIX) as systemic,
        tempfile.TemporaryDirectory() as temporary,
        pipe_in(Path(system)),
    ):
        places = [f"\0{name}", f"{temporary}/socket", f"{system}/socket"]
        os.chmod(system, 0o755)  # it is like the folders of the system, which everybody may read
        listener.bind(("::1", 0))
        for answering, place in zip((abstract, local, systemic), places, strict=True):
            answering.bind(place)
        for answering in (listener, abstract, local, systemic):
            answering.listen()
        shared.write_text(SECRET)
        homes = {str(yard.user_environ["HOME"]), pwd.getpwuid(os.getuid()).pw_dir}
        about = [(home, os.stat(home)) for home in homes if home and os.path.isdir(home)]
        disks = [path for path in Path("/dev").iterdir() if path.is_block_device()]
        try:
            yield {
                "pid": neighbour.pid,
                "variable": name,
                "port6": listener.getsockname()[1],
                "abstract": name,
                "socket": places[1],
                "system socket": places[2],
                "pipe": f"{system}/pipe",
                "segment": segment,
                "shared": str(shared),
                "disk": str(disks[0]) if disks else "/dev/nowhere",
                "other": str(Path(__file__).parents[2] / "README.md"),
                "neighbour": str(yard.ledger),
                "homes": [(home, [seen.st_dev, seen.st_ino]) for home, seen in about],
                "lockable": "/usr/bin/env",
            }
        finally:
            shared.unlink()
            libc.shmctl(segment, 0, None)
            neighbour.kill()
            neighbour.wait()
