"""What is known of a session that is held, as bytes.

Every file carries a code made with a key that lies outside the repository: what the session's
agent writes there itself is not taken for ours.
"""

from __future__ import annotations

from _blake2 import blake2b

from goalkeeper.wire.light_json import NotJson, dumps, loads
from goalkeeper.wire.value import Value

VERSION = 1
SENTINEL = "[goalkeeper]"  # begins every text of ours that a client may hand back to us
OBJECTIVE_CHARACTERS = 2000  # of the prompt, as much is kept
_LONGEST_ID = 128

# How a hold ends
PROVEN, OFF, TRIPPED, GIVEN_UP, CLEARED, OVERRIDDEN = (
    "proven", "off", "tripped", "given up", "cleared", "overridden",
)  # fmt: skip

# What a proof says
PASSED, FAILED, UNKNOWN, BLOCKED = "passed", "failed", "unknown", "blocked"


class Verdict(Value):
    """What the witness said, of which tree, and what to tell of it."""

    outcome: str
    tree: str
    began: float  # seconds since 1970: the tree is as it was then, or later
    mark: str = ""  # how the working tree looked before; empty: it cannot be told again
    failing: tuple[str, ...] = ()
    text: str = ""


class Block(Value):
    """A stop that was not let through. `key` tells the stop from others."""

    key: str
    at: float
    source: str  # whose settings called us
    text: str


class Hold(Value):
    """`limits` and the verdict are as they were when they were last asked for."""

    client: str
    session: str
    activation: str
    armed_at: float
    worktree: str
    run: str
    own: bool  # the run was made for this hold
    objective: str
    verify: tuple[tuple[str, ...], ...]  # the commands that prove it, where no contract does
    max_blocks: int = 8
    cooldown: float = 3.0  # seconds
    minutes: float = 480.0
    wait: float = 595.0  # seconds for a proof, at most
    yields: bool = False  # whether a stop that follows a block is let through
    guards: bool = True  # whether writing to what is protected is denied
    observes: bool = True  # whether nothing is held while the client keeps a goal of its own
    contract: str = ""  # the digest of what was frozen for it, where it has a run of its own
    asks: bool = False  # whether questions to the user are open
    blocks: int = 0
    fast_returns: int = 0
    same_evidence: int = 0
    evidence: str = ""
    last: Block | None = None
    awaiting: bool = False  # a block was printed and no stop has come since
    turn: str = ""  # for clients that name no turn: when the last prompt came
    verdict: Verdict | None = None
    ignored: tuple[str, ...] = ()  # folders that git does not look at
    beside: tuple[str, ...] = ()  # files outside the tree that say it moved: git's log of HEAD
    waiting: str = ""  # what it waits for
    compactions: int = 0
    ended: str = ""
    ended_why: str = ""
    ended_at: float = 0.0


class Foreign(ValueError):
    """Not a hold of ours: another version, or changed by somebody else."""


def dump(hold: Hold, key: bytes) -> bytes:
    told = hold.as_dict()
    told["last"] = hold.last.as_dict() if hold.last else None
    told["verdict"] = hold.verdict.as_dict() if hold.verdict else None
    text = dumps(told)
    return f'{{"version":{VERSION},"code":"{_code(text, key)}",\n"hold":{text}}}\n'.encode()


def load(data: bytes, key: bytes) -> Hold:
    """Raises Foreign for all that we did not write ourselves."""
    try:
        told = loads(data)
    except NotJson as exc:
        raise Foreign("it is not JSON") from exc
    if not isinstance(told, dict) or not isinstance(told.get("hold"), dict):
        raise Foreign("it is no hold")
    if told.get("version") != VERSION:
        raise Foreign(f"its version is {told.get('version')!r}, not {VERSION}")
    if told.get("code") != _code(dumps(told["hold"]), key):
        raise Foreign("it was changed by somebody else")
    try:
        return _hold(told["hold"])
    except (TypeError, KeyError) as exc:
        raise Foreign("it has other fields") from exc


def _hold(told: dict[str, object]) -> Hold:
    last, verdict = told["last"], told["verdict"]
    lists: dict[str, object] = {name: tuple(_list(told[name])) for name in ("ignored", "beside")}
    lists["verify"] = tuple(tuple(_list(argv)) for argv in _list(told["verify"]))
    read = Hold(**{**told, **lists, "last": None, "verdict": None})  # type: ignore[arg-type]
    if isinstance(last, dict):
        read = read.replace(last=Block(**last))
    if isinstance(verdict, dict):
        failing = tuple(verdict["failing"])
        read = read.replace(verdict=Verdict(**{**verdict, "failing": failing}))
    return read


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _code(text: str, key: bytes) -> str:
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()


def is_session_id(text: object) -> bool:
    """Whether it may become a part of a file's name."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= _LONGEST_ID
        and text.isascii()
        and text[0].isalnum()
        and all(c.isalnum() or c in "-_" for c in text)
        and text != "null"
    )


def name_of(client: str, session: str) -> str:
    return f"{client}-{session}"
