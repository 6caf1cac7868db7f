"""Real clients examine and work: a sentence, one key in a terminal, a proof, and it lands."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients import installed
from tests.e2e.real_clients import CLIENTS, surroundings
from tests.patience import patience
from tests.scripted_model.server import Models, serving

SENTENCE = "Amounts may carry thousands separators"
BASE = "def parse(text):\n    return int(text)\n"
SOLUTIONS = (
    "def parse(text):\n    return int(text.replace(',', ''))\n",
    "def parse(text):\n    return int(''.join(text.split(',')))\n",
)
TEST = """import unittest

from amounts import parse


class Amounts(unittest.TestCase):
    def test_it(self):
        self.assertEqual(parse("{}"), {})
"""
DEADLINE_SECONDS = 240


@pytest.fixture(scope="module")
def models() -> Iterator[Models]:
    with serving() as models:
        yield models


def answer(number: int) -> str:
    """The command by which an examiner writes its answer down."""
    path = f"tests/test_amounts_{number}.py"
    given = ("1,234", 1234) if number == 1 else ("5,678,901", 5678901)
    test = {
        "path": path,
        "text": TEST.format(*given),
        "check": {"command": ["python3", "-m", "unittest", "-q", path]},
    }
    told = {
        "criteria": [{"text": f"amounts with commas are read ({number})", "tests": [test]}],
        "reference": {"amounts.py": SOLUTIONS[number - 1]},
    }
    return f"cat > \"$GOALKEEPER_LANE/answer.json\" <<'END'\n{json.dumps(told)}\nEND"


def read_terminal(terminal: int) -> str:
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # the last one has closed it
            return shown.decode(errors="replace")
        if not piece:
            return shown.decode(errors="replace")
        shown += piece


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_real_client_examines_and_works_for_one_sentence(
    name: str, tmp_path: Path, models: Models
) -> None:
    program = installed(name)
    if program is None:
        pytest.skip(f"needs {name}")
    client, lane = CLIENTS[name], models.lane(f"drafts-{name}")
    examined = [turn for n in (1, 2) for turn in (client.shell(answer(n)), {"text": "answered"})]
    work = f"cat > amounts.py <<'END'\n{SOLUTIONS[1]}END"
    lane.script(
        rules=[{"when": {"all": "You are an examiner"}, "turns": examined}],
        turns=[client.shell(work), {"text": "done"}],
        side={"text": "a title"},
    )
    root = tmp_path / "repository"
    (root / "tests").mkdir(parents=True)
    (root / "amounts.py").write_text(BASE)
    (root / "tests/test_plain.py").write_text(TEST.format("12", 12))
    environ = surroundings(name, lane.url, tmp_path / "home", program)
    who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "base")):
        subprocess.run(["git", *who, *words], cwd=root, env=environ, check=True)
    outer, inner = pty.openpty()
    os.write(outer, b"a\n")
    model = ("--model", client.model) if client.model else ()
    driver = subprocess.Popen(
        [sys.executable, "-m", "goalkeeper", "run", SENTENCE, "--agent", name, *model],
        cwd=root, env=environ, stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
    )  # fmt: skip
    os.close(inner)
    shown = read_terminal(outer)
    assert driver.wait(timeout=patience(DEADLINE_SECONDS)) == 0, shown
    assert "[a]ccept, [e]dit" in shown
    assert "a test that the worker does not see" in shown
    landed = subprocess.run(
        [sys.executable, "-m", "goalkeeper", "land"], cwd=root, env=environ, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert landed.returncode == 0, landed.stdout
    assert (root / "amounts.py").read_text() == SOLUTIONS[1]
    asked = [request for request in lane.requests if "You are an examiner" in str(request)]
    assert asked
    assert all(SOLUTIONS[0] not in str(r) for r in lane.requests if r not in asked)
