"""Names of files inside the state directory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STATE_DIR = ".goalkeeper"
CONFIG = "config.toml"
IGNORE = ".gitignore"
CURRENT = "current"
RUNS = "runs"
CAMPAIGNS = "campaigns"
ARCHIVE = "archive"
CACHE = "cache"
BOUND = ".bound"  # it lies in RUNS: a small file per client session names its run
MADE_HERE = (
    ".made-here"  # it lies in RUNS; a file in KNOWN says the same if the state was made here
)
STATE_LOCK = ".lock"  # it lies in RUNS, and is held while runs are made or set aside

BRIEF = "brief.md"
CAMPAIGN_PLAN = "plan.md"
SESSION_LOGS = "sessions"  # a campaign has there what its sessions printed
GOALS = "goals.json"
LEDGER = "ledger.jsonl"
LOCK = "lock"
EVIDENCE = "evidence"
RECEIPTS = "receipts"
QUARANTINE = "quarantine"
PHASES = "phases"  # a run has there prompts and what agents printed
DRIVE_LOCK = "drive.lock"
RUN = "GOALKEEPER_RUN"  # this variable says which run is meant, if none is named
TRUST = "GOALKEEPER_TRUST"  # this variable names digests of settings that count as confirmed
IN_CAMPAIGN = "GOALKEEPER_IN_CAMPAIGN"  # drives of a campaign have this variable
SPAWNED = "GOALKEEPER_SPAWNED"  # agents that a drive started have this variable
LESSONS = "lessons.md"
MISSING_CRITERIA = "missing-criteria.jsonl"
HOLD = "hold"  # it has a small file for each client session that is held

# These lie in the user's state directory, outside of every repository:
WATCH = "watch"  # it has a file for each session that is held now, which names the file in HOLD
# They lie beside a watch.
LOCKED, PROVING, ARMING, PROTECTED = "lock", "proof", "arming", "protected"
HOLD_KEY = "hold.key"
KNOWN = "known"  # it has a file for each state directory that was made or taken over here
HOOK_LOG = "hooks.log"

IGNORED = (
    RUNS + "/",
    CAMPAIGNS + "/",
    ARCHIVE + "/",
    CACHE + "/",
    HOLD + "/",
    CURRENT,
    LESSONS,
    MISSING_CRITERIA,
)
# The list of ignored files names itself, so that a proven tree has nothing that only we made.
IGNORE_TEXT = "".join(name + "\n" for name in (*IGNORED, IGNORE))


def list_state_folders(path: str) -> Iterator[str]:
    """List the folders of an absolute path from the state directory on; none for other paths."""
    start = path.find(f"/{STATE_DIR}/")
    end = start + 1 + len(STATE_DIR) if start >= 0 else -1
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)


def state_home(environ: Mapping[str, str]) -> str:
    """Return the folder for what must last, outside every repository, such as crash logs."""
    return find_xdg_folder(environ, "XDG_STATE_HOME", ".local/state")


def find_xdg_folder(environ: Mapping[str, str], name: str, usual: str) -> str:
    """Find a folder as the XDG standard says: a relative one is ignored."""
    place, home = environ.get(name, ""), environ.get("HOME", "")
    if not place.startswith("/"):
        place = f"{home.rstrip('/') if home.startswith('/') else ''}/{usual}"
    return f"{place.rstrip('/')}/goalkeeper"


def hold_name(client: str, session: str) -> str:
    return f"{client}-{session}"


def name_beside(name: str, kind: str) -> str:
    """Name a file that belongs to a watch; those who look for watches do not see it."""
    return f".{name}.{kind}"
