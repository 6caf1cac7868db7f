"""Where held-out files lie while their check runs, and which of these checks run Python tests."""

from __future__ import annotations

from goalkeeper.core.contract.check_kinds import ARGV_KINDS, Check
from goalkeeper.wire.pattern import late_pattern

HELD_OUT = "held_out"  # the folder of a checkout, unless a criterion names another one
_PYTHON = late_pattern(r"python(3(\.\d+)?)?")
_RUNNERS = ("pytest", "py.test")


def find_python(check: Check, held_out_at: str = HELD_OUT) -> str:
    """Return the Python of a check that runs Python tests; empty if it runs something else.

    A script counts as tests if it lies in the folder of held-out files.
    """
    if check.kind == "pytest":
        return "python3"
    if check.kind not in ARGV_KINDS or check.kind == "http":
        return ""
    program, *words = check.main_option
    folder, _, name = program.rpartition("/")
    if name in _RUNNERS:
        return f"{folder}/python3" if folder else "python3"
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        del words[: 2 if words[0] in ("-W", "-X") else 1]
    is_tests = words[:1] == ["-c"] or (
        words[:1] == ["-m"] and words[1:2] in (["pytest"], ["unittest"])
    )
    is_held_out = bool(words) and words[0].startswith(f"{held_out_at}/")
    return program if _PYTHON.fullmatch(name) and (is_tests or is_held_out) else ""
