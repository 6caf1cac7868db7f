"""The program, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SHOPS = """\
baker: 6am-12:30pm
cinema: 19:30-1, 14-17
park: midnight-midnight
tailor: by appointment
"""


def hours(file: Path) -> str:
    told = subprocess.run(
        [sys.executable, "-m", "hours", str(file)],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(HERE.parent / "src")},
    )
    return told.stdout


def test_the_table_reads_as_agreed(tmp_path: Path) -> None:
    (tmp_path / "shops.txt").write_text(SHOPS)

    assert hours(tmp_path / "shops.txt") == (HERE / "golden" / "table.txt").read_text()


def test_plain_hours_are_printed(tmp_path: Path) -> None:
    (tmp_path / "shop.txt").write_text("shop: 09:00-12:30\n")

    assert hours(tmp_path / "shop.txt") == "shop     09:00-12:30 (210 min)\n"
