"""The picture in docs/campaigns.md: a campaign at work on a terminal, drawn as SVG.

`python -m tools.campaign_picture` plays seven sessions with the rehearsal agent, which waits where
the picture is to be taken, and writes docs/campaign.svg. tmux is the terminal.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.picture import draw
from tools.transcripts import ROOT, Session

PICTURE = ROOT / "docs" / "campaign.svg"
_COMMAND = "goalkeeper campaign run --parallel 3 --max-cost 10"
_COLUMNS, _LINES = 100, 24
_SECONDS = 120  # it takes a tenth of that
# One picture has all of these.
_WANTED = ("C1 FAIL", "in the queue", "bounced: ", "waits for ", "landed in ", " left", "begins")
_CLASSES = (
    ("command", r"^\$ |^Campaign "),
    ("good", r" landed in "),
    ("asks", r" bounced: "),
    ("dim", r" waits for "),
    ("plain", ""),
)
_WORDS = (("good", "PASS"), ("bad", "FAIL"))
# A worker waits for something that its campaign has recorded, or until the picture is taken.
_UNTIL = "until grep -qs '{0}' ~/intake/.goalkeeper/campaigns/*/ledger.jsonl; do sleep 0.05; done"
_FOR_EVER = "until test -e ~/taken; do sleep 0.1; done"
_PRICES = 'PRICES = {"tea": 2.50, "cup": 4.00}\n'
_TOTAL = """\
import prices


def total(*names):
    return f"{sum(map(prices.PRICES.get, names)):.2f}"
"""

Act = dict[str, Any]


def _write(path: str, text: str) -> Act:
    return {"write": {"path": path, "text": text}}


def _run(command: str) -> Act:
    return {"run": {"argv": ["sh", "-c", command]}}


def _cost(dollars: float) -> Act:
    return {"usage": {"cost": dollars}}


# Title, file, what it needs, what must hold, and what its worker does; by iteration, if it matters.
_SESSIONS: tuple[tuple[str, str, str, str, Any], ...] = (
    ("Prices in cents", "prices.py", "none", "import prices; assert prices.PRICES['tea'] == 250",
     [_write("prices.py", 'PRICES = {"tea": 250, "cup": 400}\n'), _cost(1.37)]),
    ("Invoices", "invoice.py", "none",
     "import sys, invoice; sys.exit(invoice.total('tea', 'cup') != '6.50')",
     [_run(_UNTIL.format("batch_landed")), _write("invoice.py", _TOTAL), _cost(0.84)]),
    ("Stock", "stock.py", "none", "import stock; assert stock.LEFT == 3",
     {"1": [_write("stock.py", "LEFT = 2\n"), _cost(0.31)], "2": [_run(_FOR_EVER)]}),
    ("Search", "search.py", "none", "import time, search; time.sleep(2); assert search.find",
     [_run(_UNTIL.format("batch_refused")), _write("search.py", "def find(word): ...\n"),
      _cost(0.62)]),
    ("Payments", "payments.py", "Session 1", "import payments", [_run(_FOR_EVER)]),
    ("Receipts", "receipts.py", "Session 1", "import receipts", [_run(_FOR_EVER)]),
    ("Shop front", "front.py", "Session 5, Session 6", "import front", [_run(_FOR_EVER)]),
)  # fmt: skip


def _write_plan() -> str:
    parts = ["# A shop\n\nPlan version: 1.7\n"]
    for number, (title, path, after, holds, _) in enumerate(_SESSIONS, 1):
        verify = f'python3 -c "{holds}"'
        leave = verify if path == "prices.py" else f"test -s {path}"  # it is there already
        parts.append(
            f"# Session {number}: {title}\n## Dependencies\n- Depends on: {after}\n"
            f"## Scope Fence\n- Touch: {path}\n"
            f"## Step 1: Write {path}\n- Files: {path}\n- Changes: {title}\n"
            f"- Verify: `{verify}` → expected: exit 0\n- On failure: retry\n"
            f'- Checkpoint: git commit -m "feat: {title.lower()} in {path}"\n'
            f"- Manifest:\n  ```yaml\n  manifest:\n    expected_paths: [{path}]\n  ```\n"
            f"## Exit Condition\n- `{leave}` → expected: exit 0\n"
        )
    return "\n".join(parts)


def play() -> list[str]:
    """Play the campaign; return what stands on the terminal in its midst."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder).resolve())
        home = session.here.parent
        for number, (*_, acts) in enumerate(_SESSIONS, 1):
            story = home / "stories" / f"S{number:02d}.json"
            story.parent.mkdir(exist_ok=True)
            story.write_text(json.dumps({"*": acts}))
        (session.here / "plan.md").write_text(_write_plan())
        (session.here / "prices.py").write_text(_PRICES)
        environ = {**session.environ, "TMUX_TMPDIR": str(home), "TERM": "xterm-256color"}
        for words in (
            ("git", "add", "--all"),
            ("git", "commit", "--quiet", "-m", "a shop"),
            ("goalkeeper", "campaign", "plan", "--from", "plan.md"),
        ):
            subprocess.run(words, cwd=session.here, env=environ, check=True, capture_output=True)
        command = f"{_COMMAND} --agent rehearsal --script ../stories"
        try:
            _ask_tmux(environ, session.here, "new-session", "-d", "-s", "shown",
                      "-x", str(_COLUMNS), "-y", str(_LINES), command)  # fmt: skip
            return [f"$ {_COMMAND}", *_take(environ, session)]
        finally:
            (home / "taken").touch()
            _ask_tmux(environ, session.here, "send-keys", "-t", "shown", "C-c")
            _wait_for_end(environ, session.here)


def _take(environ: dict[str, str], session: Session) -> list[str]:
    """Wait for the picture that shows all that we want to show."""
    deadline = time.monotonic() + _SECONDS
    while True:
        shown = _ask_tmux(environ, session.here, "capture-pane", "-p", "-t", "shown")
        block = shown[shown.rfind("Campaign ") :]  # without what has moved up
        if all(words in block for words in _WANTED):
            lines = _keep_steady(session.steady(block))
            return [line.rstrip() for line in lines.rstrip().splitlines()]
        if time.monotonic() > deadline:
            raise TimeoutError(shown)
        time.sleep(0.05)


def _keep_steady(block: str) -> str:
    """Return the block with times that do not differ from picture to picture."""
    times = iter((12, 6, 1))
    block = re.sub(r"~\d+ s left", "~8 s left", block)
    return re.sub(r"\b0:\d\d$", lambda _: f"0:{next(times):02d}", block, flags=re.MULTILINE)


def _wait_for_end(environ: dict[str, str], place: Path) -> None:
    while _ask_tmux(environ, place, "list-sessions"):
        time.sleep(0.1)


def _ask_tmux(environ: dict[str, str], place: Path, *words: str) -> str:
    done = subprocess.run(
        ["tmux", "-f", "/dev/null", *words], cwd=place, env=environ, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    PICTURE.write_text(draw(play(), _CLASSES, _WORDS))
