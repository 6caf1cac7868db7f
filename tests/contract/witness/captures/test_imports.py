"""What the judges cost those who have nothing to judge."""

import subprocess
import sys

from tests.tables import for_each

LOADED = """
import sys
from goalkeeper.witness.captures import automation, pty, screenshot
{judging}
print(*sorted({{"PIL", "pyte"}} & set(sys.modules)))
"""


def loaded(judging: str = "") -> str:
    argv = [sys.executable, "-c", LOADED.format(judging=judging)]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


@for_each(
    "judging",
    [
        "",
        "screenshot.judge_screenshot(b'GIF89a')",
        "pty.judge_pty(b'plain')",
        "automation.judge_automation(b'{}')",
    ],
)
def test_libraries_are_loaded_for_what_they_must_decide(judging: str) -> None:
    assert loaded(judging) == ""
