"""Options of commands that run checks. They need the settings, which other commands do not load."""

from goalkeeper.cli.options import Option
from goalkeeper.config import GATE_ISOLATIONS, ISOLATIONS

ISOLATION = Option("--isolation", "demand this level, or fail", choices=GATE_ISOLATIONS, default="")
ANY_ISOLATION = ISOLATION.replace(
    choices=ISOLATIONS, help="demand this level, or fail; none opens no gate"
)
