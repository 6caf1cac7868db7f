"""No tree, configuration, ledger or hook payload makes goalkeeper fail with a bug of its own.

GOALKEEPER_FUZZED says how many inputs there are of each kind.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from goalkeeper.clients.table import find_install
from goalkeeper.hooks import main as hooks
from goalkeeper.wire.clients import CLIENTS
from tests.e2e.world import PLAIN_PATH
from tests.in_process import Printed, run_in_process
from tests.property.fuzzing import ODD_TEXTS, change_bytes, change_value, json_values, seal_lines
from tests.tables import for_each
from tests.trusting import take_over_state, trust_settings

BUG = 70
COUNT = int(os.environ.get("GOALKEEPER_FUZZED", "8"))
DATA = Path(__file__).parents[1] / "data/first_version"
LEDGERS = sorted(DATA.glob("*/runs/*/ledger.jsonl"))
LOOKS: Sequence[tuple[str, ...]] = (
    ("status",), ("ledger", "show"), ("ledger", "show", "--last", "3", "--json"), ("ledger",
    "verify"),
    ("report",), ("why", "G001"), ("goal", "get"), ("guard", "ask"), ("due",), ("receipt", "list"),
    ("state", "doctor"), ("state", "repair"), ("complete-goals",), ("clean", "--dry-run"),
    ("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "x"),
)  # fmt: skip
fuzzed = settings(
    max_examples=COUNT, deadline=None, derandomize=False, database=None,
    suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink),
)  # fmt: skip


class Place:
    """A repository and a home that are there once for many inputs."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "repository", folder / "home"
        self.state = self.root / ".goalkeeper"
        for place in (self.root, self.home):
            place.mkdir(parents=True)
        self.git("init", "--quiet", "--template=")
        (self.root / "product.txt").write_text("broken\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=base")

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": PLAIN_PATH, "LC_ALL": "C.UTF-8"}

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        asked = ["git", *who, *words]
        subprocess.run(asked, cwd=self.root, check=False, capture_output=True, timeout=60)

    def call(self, *words: str, given: bytes = b"") -> Printed:
        done = run_in_process(words, cwd=self.root, environ=self.environ, input=given)
        told = (done.out + done.err).decode(errors="replace")
        assert done.code != BUG, (words, self.read_crash())
        assert "Traceback" not in told
        return done

    def read_crash(self) -> str:
        log = self.home / ".local/state/goalkeeper/crash.log"
        return log.read_text()[-1500:] if log.exists() else ""

    def reset(self) -> None:
        shutil.rmtree(self.state, ignore_errors=True)

    def keep_ledger(self, run_id: str, data: bytes) -> None:
        """Have a run with this ledger and nothing else."""
        self.reset()
        folder = self.state / "runs" / run_id
        folder.mkdir(parents=True)
        (folder / "ledger.jsonl").write_bytes(data)
        (folder / "lock").touch()
        (self.state / "cache").mkdir()
        take_over_state(self.root, self.environ)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("fuzzed"))


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[str, bytes]:
    """A ledger of the first version with changed bytes, or changed events in a whole chain."""
    path = draw(st.sampled_from(LEDGERS))
    whole = path.read_bytes()
    if not draw(st.integers(0, 3)):
        return path.parent.name, draw(change_bytes(whole))
    lines = [json.loads(line) for line in whole.splitlines()]
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 9)):
            case 0:
                del lines[number]
                lines = lines or [{}]
            case 1:
                lines.insert(number, draw(st.sampled_from(lines)))
            case 2:
                changed = draw(change_value(lines[number]))
                lines[number] = changed if isinstance(changed, dict) else {}
            case _:
                lines[number] = {
                    **lines[number],
                    "data": draw(change_value(lines[number].get("data"))),
                }
    return path.parent.name, seal_lines(lines)


@fuzzed
@given(ledger=ledgers(), asked=st.lists(st.sampled_from(LOOKS), min_size=3, max_size=4))
def test_no_ledger_breaks_goalkeeper(
    place: Place, ledger: tuple[str, bytes], asked: list[tuple[str, ...]]
) -> None:
    place.keep_ledger(*ledger)

    for words in asked:
        place.call(*words)


@for_each(
    ("kind", "changed", "asked", "code"),
    [
        ("plan_created", ('"title":"', '"title":"\\ud800'), ("ledger", "verify"), 4),
        ("plan_created", ('"title":"Part 1"', '"title":""'), ("status",), 0),
        ("contract_frozen", ('"contract":"{', '"contract":"{x'), ("report",), 3),
    ],
)
def test_what_fuzzing_has_found_is_no_bug_any_more(
    place: Place, kind: str, changed: tuple[str, str], asked: tuple[str, ...], code: int
) -> None:
    (path,) = DATA.glob("answered/runs/*/ledger.jsonl")
    told = [
        line.replace(*changed, 1) if f'"kind":"{kind}"' in line else line
        for line in path.read_text().splitlines()
    ]
    place.keep_ledger(path.parent.name, seal_lines([json.loads(line) for line in told]))

    assert place.call(*asked).code == code


CONFIG = b"""version = 1
[verify]
commands = [["make", "test"]]
[agents]
default = "claude"
[witness]
setup = [["true"]]
isolation = "checkout"
env = ["JAVA_HOME"]
timeout = 600
[judge]
max_iterations = 5
[replay]
allow = [["cargo", "run", "**"]]
[hold]
max_blocks = 8
stop_hook_active = "bounded"
protect = true
[keep]
days = 30
megabytes = 2048
"""
BRIEF = b"""Shared words.

@goal: One
Make it.
```contract
criteria:
  - {id: C1, text: one, check: {command: [grep, -q, fixed, product.txt]}, paths: ["*.txt"]}
  - {id: C2, text: two, check: {pytest: tests/test_it.py}, guard: true}
  - {id: C3, text: three, check: {json: data.json, path: a.b, equals: 3}}
  - {id: C4, text: four, check: {question: "Is it so?"}}
manifest: {may_change: ["**"], must_change: [product.txt]}
depends_on: []
```
@goal: Two
And that.
"""


@fuzzed
@given(config=change_bytes(CONFIG), brief=change_bytes(BRIEF), answers=json_values)
def test_no_configuration_brief_or_answer_breaks_goalkeeper(
    place: Place, config: bytes, brief: bytes, answers: object
) -> None:
    place.reset()
    place.state.mkdir()
    (place.state / "config.toml").write_bytes(config)

    for words in (("status",), ("state", "doctor"), ("ulw", "status"), ("clean", "--dry-run")):
        place.call(*words)
    place.call("create-goals", "--from-stdin", given=brief)
    (place.state / "config.toml").unlink()
    place.call("create-goals", "--from-stdin", given=brief)
    told = json.dumps(answers).encode()
    place.call("complete-goals")
    place.call("verify", "--goal-id", "G001", "--answers", "-", given=told)
    place.call("steer", "--directive-json", "-", given=told)


NAMES = (
    b"a.py", b"tests/test_a.py", b"conftest.py", b"package.json", b"pyproject.toml", b"setup.cfg",
    b"Makefile",
    b".gitignore", b".gitattributes", b".gitmodules", b"a.test.js", b"x.sh",
    b".github/workflows/ci.yml", b"tox.ini",
    b"\xff.py", b"a\nb", b"\x0b", b"\xe2\x80\xa8.js", b"-x", b" ", b"a b", b"$(id)",
    b"tests/\xc3\x28", b"Cargo.toml",
    b"go.mod", b"n/" * 30 + b"deep", b".goalkeeper/current", b".goalkeeper/runs/x", b".git2",
    b"product.txt",
)  # fmt: skip
SOURCES = (
    b"def test_a():\n    assert f(1) == 2\n",
    b"import pytest\n@pytest.mark.skip\ndef test_b(): pass\n",
    b"it('a', () => { expect(f(1)).toBe(2) })\n", b'{"scripts": {"test": "jest"}}\n',
    b"[tool.pytest.ini_options]\naddopts = '-q'\n[project]\nname = 'x'\n",
    b"test:\n\tpytest -q\n", b"* filter=x\n*.py text\n",
    b"on: push\njobs:\n  t:\n    steps:\n      - run: make test\n",
    b"#!/bin/sh\nset -e\n[ 1 = 1 ] || exit 0\n",
    b'[submodule "x"]\n\tpath = x\n\turl = y\n', b"*\n!*.py\n",
)  # fmt: skip
files = st.dictionaries(
    st.sampled_from(NAMES),
    st.tuples(
        st.sampled_from(("file", "file", "file", "link", "folder", "pipe", "run")),
        st.one_of(st.sampled_from(SOURCES), st.sampled_from(SOURCES).flatmap(change_bytes)),
    ),
    max_size=6,
)


FileTree = Mapping[bytes, tuple[str, bytes]]


def lay(root: Path, tree: FileTree) -> None:
    for name, (kind, data) in tree.items():
        path = os.path.join(os.fsencode(root), name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.lexists(path):
                os.unlink(path)
            if kind == "link":
                os.symlink(data[:40].replace(b"\0", b"") or b"x", path)
            elif kind == "folder":
                os.mkdir(path)
            elif kind == "pipe" and not name.startswith(b".git"):  # git would wait for ever
                os.mkfifo(path)
            else:
                with open(path, "wb") as file:
                    file.write(data)
                os.chmod(path, 0o755 if kind == "run" else 0o644)
        except OSError:
            continue  # another file is where a folder should be


@fuzzed
@given(base=files, candidate=files, commits=st.booleans())
def test_no_tree_breaks_goalkeeper(base: FileTree, candidate: FileTree, *, commits: bool) -> None:
    with TemporaryDirectory() as folder:
        place = Place(Path(folder))
        lay(place.root, base)
        place.git("add", "--all")
        place.git("commit", "--quiet", "--message=more")
        place.call("init", "--yes")
        place.call(
            "create-goals",
            "--from-stdin",
            "--gate",
            "standard",
            given=BRIEF.split(b"  - {id: C2")[0] + b"```\n",
        )
        place.call("complete-goals")
        place.call("contract", "freeze", "--goal-id", "G001", "--isolation", "checkout")
        lay(place.root, candidate)
        if commits:
            place.git("add", "--all")
            place.git("commit", "--quiet", "--message=work")
        place.call("audit", "--goal-id", "G001", "--json")
        place.call("judge", "--goal-id", "G001", "--isolation", "checkout")
        place.call("clean")


KINDS = ("prompt", "tool", "start", "compact", "status", "stop", "edited", "x")
PAYLOAD: dict[str, Any] = {
    "session_id": "s1", "conversation_id": "s1", "cwd": ".", "hook_event_name": "PreToolUse",
    "tool_name": "Bash", "tool_input": {"command": "rm -rf tests",
    "file_path": "tests/test_it.py"},
    "prompt": "fix it", "source": "compact", "transcript_path": "/nowhere",
    "stop_hook_active": False,
    "workspace_roots": ["."], "tool_response": {"ok": True}, "permission_mode": "default",
}  # fmt: skip


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    client = draw(st.sampled_from(sorted(CLIENTS)))
    told = {**PAYLOAD, **find_install(client).stop}
    changed = draw(
        change_value({**told, "session_id": draw(st.sampled_from(("s1", "s2", *ODD_TEXTS)))})
    )
    data = json.dumps(changed, ensure_ascii=draw(st.booleans())).encode(errors="surrogatepass")
    return draw(change_bytes(data)) if not draw(st.integers(0, 3)) else data


def answer(place: Place, client: str, kind: str, payload: bytes) -> int:
    """Answer a payload in a child, as the hook line does."""
    asked, told = os.pipe(), os.open(os.devnull, os.O_WRONLY)
    child = os.fork()
    if child == 0:
        os.dup2(asked[0], 0)
        os.close(asked[1])
        os.dup2(told, 1)
        os.dup2(told, 2)
        os.environ.clear()
        os.environ.update(place.environ)
        os.chdir(place.root)
        sys.argv = ["hook", client, kind, "/bin/false"]
        hooks.main()
    os.close(asked[0])
    os.close(told)
    try:
        with open(asked[1], "wb") as file:
            file.write(payload)
    except BrokenPipeError:
        pass
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One with a session that is held."""
    place = Place(tmp_path_factory.mktemp("held"))
    place.state.mkdir()
    (place.state / "config.toml").write_text('version = 1\n[verify]\ncommands = [["false"]]\n')
    trust_settings(place.root, place.environ)
    words = ("ulw", "on", "--client", "claude", "--session", "s1")
    on = place.call(*words, given=b"mend product.txt")
    assert on.code == 0, on
    return place


@fuzzed
@given(payload=payloads(), client=st.sampled_from((*CLIENTS, "x")), kind=st.sampled_from(KINDS))
def test_no_payload_breaks_a_hook(held: Place, payload: bytes, client: str, kind: str) -> None:
    log = held.home / ".local/state/goalkeeper/hooks.log"
    log.unlink(missing_ok=True)

    assert answer(held, client, kind, payload) == 0

    said = log.read_text() if log.exists() else ""
    assert "let go: " not in said, said  # a bug that the hook caught
