"""Scripts that tests run many times: each is loaded once, and forked for every run.

Most of such a run is the start of the interpreter and its imports; a fork is as real a process.
"""

import atexit
import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

_SERVER = """
import json, os, sys, traceback

first = json.loads(sys.stdin.readline())
code = compile(first["text"], first["name"], "exec")
exec(code, {"__name__": "loaded"})  # its imports

def carry_out(order):
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = [first["name"], *order["words"]]
    for stream, place in enumerate((os.devnull, order["out"], order["err"])):
        os.dup2(os.open(place, os.O_RDWR | os.O_CREAT, 0o600), stream)
    status = 0
    try:
        exec(code, {"__name__": "__main__"})
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os._exit(carry_out(json.loads(line)))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Loaded:
    """A script that waits, with all its imports done, in an interpreter started with -I."""

    def __init__(self, name: str, text: str) -> None:
        pipe = subprocess.PIPE
        words = [sys.executable, "-I", "-c", _SERVER]
        self._server = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)
        self._place = TemporaryDirectory()
        self._tell({"name": name, "text": text})
        atexit.register(self._end)

    def run(self, *words: str | Path, cwd: Path, env: Mapping[str, str]) -> CompletedProcess[str]:
        """Run the script in a process of its own, as `subprocess.run` would."""
        out, err = (Path(self._place.name, name) for name in ("out", "err"))
        for stream in (out, err):
            stream.write_bytes(b"")
        told = {"out": str(out), "err": str(err), "cwd": str(cwd), "env": {**env}}
        self._tell({"words": [*map(str, words)], **told})
        assert self._server.stdout
        code = int(self._server.stdout.readline())
        return CompletedProcess(words, code, out.read_text(), err.read_text())

    def _tell(self, order: Mapping[str, object]) -> None:
        assert self._server.stdin
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()

    def _end(self) -> None:
        self._server.communicate()
        self._place.cleanup()


@cache
def load(name: str, text: str) -> Loaded:
    return Loaded(name, text)
