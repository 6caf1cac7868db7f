"""`replay`: a program of the project is run again, any other is not, and the output is compared."""

import json
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.review.replays import Replay, read_replay
from goalkeeper.witness.checks.replay import is_found, is_own, is_weak
from tests.contract.witness.checks.places import Bench, Folder
from tests.tables import for_each

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
TOOL = "tool.py"
RECORD: dict[str, Any] = {
    "schemaVersion": 1,
    "kind": "cli-replay",
    "replaySafe": True,
    "command": ["python3", TOOL],
    "recordedStdout": "3 rows\n",
}


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.write(TOOL, "print('3 rows')\n")
    return bench


def outcome(bench: Bench, **changes: object) -> tuple[Verdict, str]:
    bench.write("record.json", json.dumps(RECORD | changes))
    seen = bench.see("replay", "record.json")
    return seen.verdict, seen.reason


def test_a_run_that_comes_out_the_same_passes(bench: Bench) -> None:
    assert outcome(bench) == (P, "it came out the same")


def test_scenario_59_a_run_that_differs_fails(bench: Bench) -> None:
    assert outcome(bench, recordedStdout="4 rows\n") == (
        F,
        "output differs: line 1 was '4 rows', is '3 rows'",
    )
    assert outcome(bench, expectedExitCode=2) == (F, "exit 0, recorded 2")
    bench.write(TOOL, "import sys\nprint('3 rows')\nprint('no', file=sys.stderr)\n")
    assert outcome(bench, recordedStderr="")[0] is F


def test_it_sees_what_the_record_sets_and_runs_where_it_says(bench: Bench) -> None:
    bench.write(
        "sub/where.py", "import os\nprint(os.environ['TZ'], os.path.basename(os.getcwd()))\n"
    )

    assert outcome(
        bench, command=["python3", "where.py"], cwd="sub", env={"TZ": "UTC"},
        recordedStdout="UTC sub\n",
    ) == (P, "it came out the same")  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"[]", b"null", b'{"a": NaN}', b"[" * 100_000, b'{"a": {"a": 1, "a": 2}}',
        b"\xff\xfe", b'{"kind": "\\ud800"}', b'{"n": 1e999}', b"9" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_record_fails(bench: Bench, text: bytes) -> None:
    bench.write("record.json", text)

    assert bench.see("replay", "record.json").verdict is F


def test_a_record_that_is_not_there_fails(bench: Bench) -> None:
    seen = bench.see("replay", "nowhere.json")

    assert (seen.verdict, seen.reason) == (F, "there is no record nowhere.json in the tree")


def test_a_record_that_is_wrong_says_where(bench: Bench) -> None:
    assert outcome(bench, command="python3 tool.py", replaySafe=False) == (
        F,
        "record.command: expected a list; record.replaySafe: it is not safe to run again",
    )


@pytest.mark.parametrize(
    "command",
    [
        ["python3", "-c", "open('made', 'w')"],
        ["python3", "-m", "http.server"],
        ["sh", "-c", "touch made"],
        ["bash", "-c", "touch made"],
        ["touch", "made"],
        ["git", "push"],
        ["curl", "https://example.org"],
        ["node", "-e", "require('fs').writeFileSync('made', '')"],
        ["/bin/touch", "made"],
        ["/usr/bin/env", "touch", "made"],
    ],
)
def test_scenario_59_a_program_that_is_not_the_projects_is_not_started(
    bench: Bench, command: list[str]
) -> None:
    verdict, reason = outcome(bench, command=command)

    assert (verdict, reason.partition(": ")[0]) == (F, "not-allowed")
    assert " ".join(command) in reason
    assert not (bench.root / "made").exists()


def test_what_the_configuration_allows_is_started(bench: Bench) -> None:
    bench.know(replays=(("echo", "**"),))

    assert outcome(bench, command=["echo", "3", "rows"]) == (P, "it came out the same")
    assert outcome(bench, command=["printf", "3 rows\\n"])[0] is F


def test_scenario_60_a_program_that_does_not_end_is_ended(bench: Bench) -> None:
    bench.write(
        TOOL,
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork():\n    open('pids', 'w').write(f'{os.getpid()}')\n"
        "else:\n    open('child', 'w').write(f'{os.getpid()}')\n"
        "while True:\n    time.sleep(60)\n",
    )

    verdict, reason = outcome(bench, timeoutSeconds=2)
    assert (verdict, reason.startswith("it hit the limit on time")) == (U, True)
    for name in ("pids", "child"):
        assert not Path(f"/proc/{(bench.root / name).read_text()}").exists()


def test_a_program_that_prints_without_end_is_not_compared(bench: Bench) -> None:
    bench.write(TOOL, "print('x' * (20 << 20))\n")

    assert outcome(bench) == (U, "it printed too much to be compared")


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(r"^\d rows$", P), (r"[1-9] (rows|lines)", P), ("rows\n", P), (r"\d+ lines", F)],
)
def test_scenario_61_a_pattern_is_searched_for(bench: Bench, value: str, verdict: Verdict) -> None:
    invariants = [{"kind": "regex", "value": value}]

    assert outcome(bench, recordedStdout="", invariants=invariants)[0] is verdict


@pytest.mark.parametrize(
    "value",
    [
        r"[\s\S]*",
        "^",
        ".",
        "",
        " ",
        "$",
        r"\w+",
        r"\d",
        "[a-z]{4,}",
        "t",
        "(?=x)|",
        r"\s{4}",
        ".{5}",
        "^(?!nobody prints this).*$",
    ],
)
def test_scenario_61_a_pattern_that_fits_anything_is_refused(bench: Bench, value: str) -> None:
    bench.write(TOOL, "open('made', 'w')\n")
    verdict, reason = outcome(bench, invariants=[{"kind": "regex", "value": value}])

    assert (verdict, reason.partition(": ")[0]) == (F, "weak-invariant")
    assert reason.endswith("it would hold for almost any output")
    assert not (bench.root / "made").exists()


def test_scenario_61_a_pattern_that_finds_next_to_nothing_does_not_hold(bench: Bench) -> None:
    assert outcome(bench, invariants=[{"kind": "regex", "value": "3 r"}]) == (
        F,
        "invariant regex '3 r' does not hold in 4 letters or more",
    )


def test_a_pattern_sees_the_output_as_it_is_normalized() -> None:
    assert is_found("a\r\nb\r", "a\r\nb\r")
    assert not is_found("a\nb\n", "a\r\nb\r")


@pytest.mark.thorough
def test_a_pattern_that_never_ends_is_given_up() -> None:
    assert is_weak("(?:|){60}!")


FILES = {
    "pyproject.toml": (
        "[project]\nname = 'x'\n[project.scripts]\nmytool = 'pkg:main'\nls = 'pkg:main'\n"
        "sh = 'pkg:main'\n"
    ),
    "package.json": '{"name": "@scope/js-tool", "bin": "bin/js.js"}',
    "bin/js.js": "",
    "run.sh": "",
    "curl": "",
    "-c": "",
    "pkg/__main__.py": "",
    "pkg/sub/__main__.py": "",
    "src/other/__main__.py": "",
    "single.py": "",
    "sub/deep.py": "",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    root = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Folder(root)


def asked(command: str, cwd: str = "") -> Replay:
    raw = RECORD | {"command": command.split(), "cwd": cwd or "."}
    record = read_replay(raw, "record")
    assert isinstance(record, Replay)
    return record


@for_each(
    ("command", "cwd"),
    [
        ("mytool --version", ""),
        ("js-tool", ""),
        ("./run.sh a b", ""),
        ("bin/js.js", ""),
        ("sh run.sh -c x", ""),
        ("node ./bin/js.js", ""),
        ("python3 -m pkg", ""),
        ("python -m pkg.sub x", ""),
        ("python3 -m single", ""),
        ("python3 -m other", ""),
        ("python3 deep.py", "sub"),
        ("python3 -m deep", "sub"),
        ("../run.sh", "sub"),
        ("python3 ../single.py", "sub"),
    ],
)
def test_an_entry_point_of_the_tree_is_the_projects_own(
    files: Folder, command: str, cwd: str
) -> None:
    assert is_own(asked(command, cwd), files)


@for_each(
    ("command", "cwd"),
    [
        ("run.sh", ""),
        ("curl https://example.org", ""),
        ("./curl", "sub"),
        ("ls", ""),
        ("sh", ""),
        ("sh -c x", ""),
        ("python3", ""),
        ("python3 -", ""),
        ("python3 -c x", ""),
        ("python3 -m", ""),
        ("python3 -m pip", ""),
        ("python3 -m ..pkg", ""),
        ("python3 -I single.py", ""),
        ("node -m pkg", ""),
        ("node -e x", ""),
        ("node -r ./bin/js.js", ""),
        ("python3 nowhere.py", ""),
        ("python3 deep.py", ""),
        ("python3 ../sub/../../x.py", ""),
        ("./pkg", ""),
        ("../run.sh", ""),
        ("/bin/sh run.sh", ""),
        ("env python3 single.py", ""),
        ("git push", ""),
    ],
)
def test_nothing_else_is(files: Folder, command: str, cwd: str) -> None:
    assert not is_own(asked(command, cwd), files)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project"),
        ("pyproject.toml", "project = 1"),
        ("pyproject.toml", "[project]\nscripts = 1"),
        ("package.json", "[]"),
        ("package.json", '{"bin": 3}'),
        ("package.json", '{"bin": ["git"]}'),
        ("package.json", "{" * 10_000),
    ],
)
def test_a_project_that_nobody_can_read_has_no_programs(bench: Bench, name: str, text: str) -> None:
    bench.write(name, text)

    assert not is_own(asked("mytool"), Folder(bench.root))
