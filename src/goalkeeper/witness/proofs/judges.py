"""Which function judges which kind of capture."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.witness.proofs.automation import judge_automation
from goalkeeper.witness.proofs.pty import judge_pty
from goalkeeper.witness.proofs.screenshot import judge_screenshot
from goalkeeper.witness.proofs.verdict import Unfit

JUDGES: Mapping[str, Callable[[bytes, str], Unfit | None]] = {
    "screenshot": lambda data, _surface: judge_screenshot(data),
    "pty": lambda data, _surface: judge_pty(data),
    "automation": judge_automation,
}
