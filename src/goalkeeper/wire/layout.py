"""Names of files inside the state directory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STATE_DIR = ".goalkeeper"
CONFIG = "config.toml"
IGNORE = ".gitignore"
CURRENT = "current"
RUNS = "runs"
ARCHIVE = "archive"
CACHE = "cache"
BOUND = ".bound"  # inside RUNS: one small file per client session, naming its run
STATE_LOCK = ".lock"  # inside RUNS: held while runs are made or set aside

BRIEF = "brief.md"
GOALS = "goals.json"
LEDGER = "ledger.jsonl"
LOCK = "lock"
EVIDENCE = "evidence"
RECEIPTS = "receipts"
QUARANTINE = "quarantine"
PHASES = "phases"  # of a run: prompts, and what agents printed
DRIVE_LOCK = "drive.lock"
RUN = "GOALKEEPER_RUN"  # in the environment: which run is meant, if none is named
SPAWNED = "GOALKEEPER_SPAWNED"  # in the environment of agents that a drive started
LESSONS = "lessons.md"
MISSING_CRITERIA = "missing-criteria.jsonl"
HOLD = "hold"  # one small file per client session that is held

# In the user's state directory, outside of every repository:
WATCH = "watch"  # one file per session that is held now; it names the file in HOLD
LOCKED, PROVING, ARMING, PROTECTED = "lock", "proof", "arming", "protected"  # beside a watch
HOLD_KEY = "hold.key"
HOOK_LOG = "hooks.log"

IGNORED = (RUNS + "/", ARCHIVE + "/", CACHE + "/", HOLD + "/", CURRENT, LESSONS, MISSING_CRITERIA)
# The list of ignored files names itself: what is proven has nothing in it that only we made.
IGNORE_TEXT = "".join(name + "\n" for name in (*IGNORED, IGNORE))


def state_home(environ: Mapping[str, str]) -> str:
    """What must last: crash logs, trees, held-out evidence; outside every repository."""
    return find_home(environ, "XDG_STATE_HOME", ".local/state")


def find_home(environ: Mapping[str, str], name: str, usual: str) -> str:
    """As the standard has it, a relative place is ignored."""
    place = environ.get(name, "")
    if not place.startswith("/"):
        place = f"{(environ.get('HOME') or '/').rstrip('/')}/{usual}"
    return f"{place.rstrip('/')}/goalkeeper"


def hold_name(client: str, session: str) -> str:
    return f"{client}-{session}"


def name_beside(name: str, kind: str) -> str:
    """A file that belongs to a watch, hidden from those who look for watches."""
    return f".{name}.{kind}"
