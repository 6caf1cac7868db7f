"""These modules judge artifacts: they take bytes and return a verdict.

They show that an artifact can be what it claims to be, not that it is true: a picture can be drawn
and a transcript written. They refuse what is empty or broken, or would harm its reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.witness.captures.automation import judge_automation
from goalkeeper.witness.captures.pty import judge_pty
from goalkeeper.witness.captures.screenshot import judge_screenshot
from goalkeeper.witness.captures.unfit import Unfit

JUDGES: Mapping[str, Callable[[bytes, str], Unfit | None]] = {
    "screenshot": lambda data, _surface: judge_screenshot(data),
    "pty": lambda data, _surface: judge_pty(data),
    "automation": judge_automation,
}
