"""The scripted model as a program, and as it is documented."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.contract.scripted_model.callers import ANTHROPIC, CHAT
from tests.scripted_model.reading import read_script
from tests.tables import for_each

PROGRAM = [sys.executable, "-m", "tests.scripted_model"]
PAGE = Path(__file__).parents[3] / "docs" / "testing.md"


@contextmanager
def running(*options: str) -> Iterator[str]:
    """The program while it runs; its address."""
    with subprocess.Popen([*PROGRAM, *options], stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            yield program.stdout.readline().removeprefix("listening on ").strip()
        finally:
            program.terminate()


def test_it_follows_a_script_and_says_where_it_listens(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [{"text": "from a file"}]}))

    with running("--script", str(script), "--port-file", str(tmp_path / "port")) as url:
        assert url == f"http://127.0.0.1:{(tmp_path / 'port').read_text()}"
        assert CHAT.heard(url) == ["from a file"]
        assert CHAT.heard(f"{url}/s/any") == ["from a file"]


def test_each_request_becomes_a_file_without_keys(tmp_path: Path) -> None:
    log = tmp_path / "made" / "log"

    with running("--log", str(log)) as url:
        ANTHROPIC.heard(f"{url}/s/one", "hello")
        CHAT.heard(f"{url}/s/two", "world")

    files = sorted(log.iterdir())
    assert [file.name for file in files] == [
        "0000-POST-s-one-v1-messages.json",
        "0001-POST-s-two-v1-chat-completions.json",
    ]
    told = [json.loads(file.read_text()) for file in files]
    assert [entry["request"]["last"] for entry in told] == ["hello", "world"]


@for_each(
    ("text", "problem"),
    [
        ('{"turns": [{"text": 5}]}', "turns[0].text: expected text"),
        ("{", "not JSON"),
        (None, "No such file"),
    ],
)
def test_a_bad_script_stops_it_before_it_listens(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    script = tmp_path / "script.json"
    if text is not None:
        script.write_text(text)

    command = [*PROGRAM, "--script", str(script)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert problem in ended.stderr
    assert str(script) in ended.stderr
    assert ended.stdout == ""


def test_every_documented_script_can_be_read() -> None:
    scripts = re.findall(r"```json script\n(.*?)```", PAGE.read_text(), re.DOTALL)

    assert len(scripts) >= 5
    for script in scripts:
        read_script(json.loads(script))
