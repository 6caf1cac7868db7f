"""The rules on other hours, asked of the program in a process of its own.

Nothing of the product is imported here: what it patches or equals is its own affair.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def hours(*options: str, said: str = "") -> str:
    told = subprocess.run(
        [sys.executable, "-m", "hours", *options],
        input=said,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")},
    )
    return told.stdout


def read(*texts: str) -> list[object]:
    return json.loads(hours("--json", said=json.dumps(texts)))


def test_other_times() -> None:
    assert read("7-11", "10:45-18", "8pm-11:05pm", "12:30 am-3AM", "NOON - 13:20", "00:10-4") == [
        [[420, 660]],
        [[645, 1080]],
        [[1200, 1385]],
        [[30, 180]],
        [[720, 800]],
        [[10, 240]],
    ]


def test_other_parts() -> None:
    assert read("15-16\n5-6;;20-21", ";,\n", "1-2,3-4,5-6") == [
        [[300, 360], [900, 960], [1200, 1260]],
        [],
        [[60, 120], [180, 240], [300, 360]],
    ]


def test_other_spans_are_merged() -> None:
    assert read("5-9, 6-7", "1-3, 2-4, 4-6, 7-8", "23-3, 2-5", "18-18") == [
        [[300, 540]],
        [[60, 360], [420, 480]],
        [[0, 300], [1380, 1440]],
        [[0, 1440]],
    ]


def test_the_end_of_the_day() -> None:
    assert read("5pm-midnight", "21-24", "22-12am", "3-0:00", "midnight-4", "24-5") == [
        [[1020, 1440]],
        [[1260, 1440]],
        [[1320, 1440]],
        [[180, 1440]],
        [[0, 240]],
        [[0, 300]],
    ]


def test_other_reasons() -> None:
    assert read("open", "1-2;x", "1-2-3", "a-b", "6-24:01", "14pm-3", "3:5-4", "1-2,,,9:60-11") == [
        "part 1: no dash",
        "part 2: no dash",
        "part 1: too many dashes",
        "part 1: not a time: 'a'",
        "part 1: not a time: '24:01'",
        "part 1: not a time: '14pm'",
        "part 1: not a time: '3:5'",
        "part 4: not a time: '9:60'",
    ]


def test_a_file_is_printed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("club: 10:30pm-4:30, 15-16\nwell: 0-24\nmill: x-y\n")

    assert hours(str(tmp_path / "a.txt")) == (
        "club     00:00-04:30, 15:00-16:00, 22:30-24:00 (420 min)\n"
        "well     00:00-24:00 (1440 min)\n"
        "mill     part 1: not a time: 'x'\n"
    )
