"""Doubles that tests put in the place of disks, ledgers and clocks."""

from pathlib import Path

MISHAPS = str(Path(__file__).with_name("mishaps.py"))  # acts that scripts of rehearsals can name
