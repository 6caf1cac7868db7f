"""The picture in the README: a session that is played on a terminal, and drawn as SVG.

`python -m tools.picture` plays the quickstart's first command with its files and its script, types
the answer when it is asked, and writes docs/picture.svg.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from tools.transcripts import FENCE, ROOT, Session

PICTURE = ROOT / "docs" / "picture.svg"
_PAGE = ROOT / "docs" / "quickstart.md"
_SHOWN = 'goalkeeper run "Amounts may carry thousands separators"'
_PROMPT, _KEY = b"[q]uit? ", b"a\n"

_COLUMNS = 102
_ADVANCE, _LINE, _MARGIN, _BAR = 8.1, 19, 17, 34
_WIDTH = 860
Classes = Sequence[tuple[str, str]]
# What a line is about, by its words; the first that matches counts.
_CLASSES = (
    ("command", r"^\$ "),
    ("good", r"^ +PASS |: proven$"),
    ("bad", r"^ +FAIL |: not proven$"),
    ("asked", r"^\[a\]ccept"),
    ("dim", r"^draft: |^  running |^  verified |^criterion "),
    ("plain", ""),
)
_STYLE = """
    .screen { fill: #ffffff; stroke: #d0d7de }
    .bar { fill: #f6f8fa }
    .dot { fill: #d0d7de }
    text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono',
      monospace; white-space: pre; fill: #1f2328 }
    .command, .asked { font-weight: bold }
    .good { fill: #116329 }
    .bad { fill: #b31d28 }
    .dim { fill: #59636e }
    .asks { fill: #7d4e00 }
    @media (prefers-color-scheme: dark) {
      .screen { fill: #0d1117; stroke: #3d444d }
      .bar { fill: #151b23 }
      .dot { fill: #3d444d }
      text { fill: #f0f6fc }
      .good { fill: #56d364 }
      .bad { fill: #ff7b72 }
      .dim { fill: #9198a1 }
      .asks { fill: #e3b341 }
    }
"""


def play() -> str:
    """Play the session; return what stood on the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder).resolve())
        script = _prepare(session)
        shown = _run_on_terminal(session, f"{_SHOWN} --script {script}")
        return f"$ {_SHOWN}\n{session.steady(shown)}"


def _prepare(session: Session) -> str:
    """Make the quickstart's project; return the script of its rehearsal agent."""
    script = ""
    for marks, kind, body in FENCE.findall(_PAGE.read_text()):
        if "$ goalkeeper run" in body:
            break
        session.fence(marks, kind, body)
        script = kind.split()[-1]
    return script


def _run_on_terminal(session: Session, command: str) -> str:
    outer, inner = pty.openpty()
    # On a dumb terminal nothing moves: what is settled is written, line by line.
    process = subprocess.Popen(
        ["sh", "-c", command], cwd=session.here, env=session.environ | {"TERM": "dumb"},
        stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
    )  # fmt: skip
    os.close(inner)
    shown = b""
    for read in _read_all(outer):
        shown += read
        if shown.endswith(_PROMPT):
            os.write(outer, _KEY)
    os.close(outer)
    assert process.wait() == 0, shown.decode()
    return shown.decode().replace("\r\n", "\n")


def _read_all(terminal: int) -> Iterator[bytes]:
    try:
        while read := os.read(terminal, 65536):
            yield read
    except OSError:  # Linux says so when the last program has closed it
        return


def shorten(shown: str) -> list[str]:
    """Leave out the report, which tells the same again; its last line is what comes next."""
    told, _, report = shown.partition("\n# Run ")
    lines = [*told.splitlines(), *report.splitlines()[-1:]]
    return [row for line in lines for row in _wrap(line.rstrip())]


def _wrap(line: str) -> list[str]:
    return [line[at : at + _COLUMNS] for at in range(0, max(len(line), 1), _COLUMNS)]


def draw(lines: list[str], classes: Classes = _CLASSES, words: Classes = ()) -> str:
    """Draw lines, each in its class; `words` have another one than the line around them."""
    height = _BAR + _MARGIN + len(lines) * _LINE
    drawn = (_draw_line(line, number, classes) for number, line in enumerate(lines) if line)
    rows = "\n".join(drawn)
    for name, word in words:
        rows = rows.replace(word, f'<tspan class="{name}">{word}</tspan>')
    dots = "".join(f'<circle class="dot" cx="{x}" cy="17" r="5.5"/>' for x in (20, 38, 56))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'width="{_WIDTH}" height="{height}">\n'
        f"  <title>{escape(lines[0][2:])}</title>\n"
        f"  <style>{_STYLE}  </style>\n"
        f'  <rect class="screen" x="1" y="1" width="{_WIDTH - 2}" height="{height - 2}" rx="8"/>\n'
        f'  <path class="bar" d="M1 9a8 8 0 0 1 8-8h{_WIDTH - 18}a8 8 0 0 1 8 8v24H1z"/>{dots}\n'
        f"{rows}\n</svg>\n"
    )


def _draw_line(line: str, number: int, classes: Classes) -> str:
    # Fonts differ; the length makes columns stand where they stood on the terminal.
    text = line.lstrip()
    x = _MARGIN + (len(line) - len(text)) * _ADVANCE
    y = _BAR + _MARGIN + 2 + number * _LINE
    name = next(name for name, words in classes if re.search(words, line))
    return (
        f'  <text class="{name}" x="{x:.1f}" y="{y}" textLength="{len(text) * _ADVANCE:.1f}" '
        f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{escape(text)}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(shorten(play())))
