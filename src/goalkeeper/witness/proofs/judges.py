"""Which function judges which kind of capture."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.witness.proofs.automation import automation
from goalkeeper.witness.proofs.pty import pty
from goalkeeper.witness.proofs.screenshot import screenshot
from goalkeeper.witness.proofs.verdict import Unfit

JUDGES: Mapping[str, Callable[[bytes, str], Unfit | None]] = {
    "screenshot": lambda data, _surface: screenshot(data),
    "pty": lambda data, _surface: pty(data),
    "automation": automation,
}
