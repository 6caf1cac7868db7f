"""The bytes of what is known about a session that is held.

Every file carries a code made with a key that lies outside the repository: a file that the
session's agent writes itself is recognized as foreign.
"""

from __future__ import annotations

from _blake2 import blake2b

from goalkeeper.wire.light_json import NotJson, dumps, loads
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
SENTINEL = "[goalkeeper]"  # it begins every text of ours that a client may hand back to us
OBJECTIVE_CHARACTERS = 2000  # so much of the prompt is kept
LONGEST_WAIT_SECONDS = 595  # clients are told to give a stop's hook 600
_LONGEST_ID = 128

# A hold ends in one of these ways.
PROVEN, OFF, TRIPPED, GIVEN_UP, CLEARED, OVERRIDDEN = (
    "proven", "off", "tripped", "given up", "cleared", "overridden",
)  # fmt: skip

LEFT = "left"  # the client said that the session ended

# A proof says one of these; GIVEN_UP is an honest exit of the agent.
PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"
OLD_FAILURES = "failed-before"  # this failure is asked about once; it does not stay in the way


class Limits(Value):
    """The limits of a hold, and what its agent may do meanwhile."""

    max_blocks: int = 8  # the limit of one activation; some clients allow no more in a row
    cooldown: int = 3  # in seconds; an agent that is back sooner did no work
    minutes: int = 480
    wait: int = LONGEST_WAIT_SECONDS  # the seconds to wait for a proof
    yields: bool = False  # let a stop through that follows a block
    protects: bool = True  # deny questions, and writing to what is protected
    observes: bool = True  # hold nothing while the client keeps a goal of its own


class HoldVerdict(Value):
    """What the witness said, of which tree, and what to tell about it."""

    outcome: str
    tree: str
    began: float  # seconds since 1970; the tree is as it was then, or later
    mark: str = ""  # how the working tree looked before; if it is empty, that is not known
    ledger: str = ""  # how the run's ledger looked afterwards
    recorded: bool = False  # earlier versions wrote it, and nobody reads it
    failing: tuple[str, ...] = ()
    text: str = ""


class Block(Value):
    """A stop that was not let through. `key` tells it apart from other stops."""

    key: str
    at: float
    source: str  # the client whose settings called us
    text: str


class Counts(Value):
    """The counters of breakers, which begin at zero for each activation."""

    blocks: int = 0
    in_a_row: int = 0  # it counts blocks since the user last said something
    fast_returns: int = 0
    same_evidence: int = 0
    evidence: str = ""
    last: Block | None = None
    unanswered: bool = False  # a block was printed, and no stop has come since


class Hold(Value):
    client: str
    session: str
    activation: str
    armed_at: float
    turn: str  # the turn in which it was asked for, or the time of the last prompt
    worktree: str
    run: str
    own: bool  # the run was made for this hold
    bare: tuple[str, ...]  # goals that had no contract: `verify` proves them, and nothing else
    ledger: str  # a change of this file may end the hold
    objective: str
    verify: tuple[tuple[str, ...], ...]
    runners: tuple[tuple[str, ...], ...] = ()  # what each of these commands runs in the end
    limits: Limits = Limits()
    counts: Counts = Counts()
    verdict: HoldVerdict | None = None
    ignored: tuple[str, ...] = ()  # git does not look at these folders
    also_seen: tuple[str, ...] = ()  # files outside the tree that show a change: git's log of HEAD
    asks: bool = False  # whether questions to the user are open
    paused_for: str = ""
    compactions: int = 0
    process: str = ""  # the client's process: its id and when it started; LEFT after its last event
    hooked: tuple[str, ...] = ()  # files of the client that called our hooks when it began
    hooks_off: str = ""  # what kept the client from calling them later
    ended: str = ""
    ended_why: str = ""
    ended_at: float = 0.0

    def pause_for(self, what_for: str) -> Hold:
        return self.replace(paused_for=what_for, counts=self.counts.replace(unanswered=False))

    def end_hold(self, how: str, why: str, now: float) -> Hold:
        counts = self.counts.replace(unanswered=False)
        return self.replace(ended=how, ended_why=why, ended_at=now, counts=counts)


class Foreign(ValueError):
    """These bytes are no hold of ours: another version wrote them, or somebody changed them."""


def dump(hold: Hold, key: bytes) -> bytes:
    text = dumps(_to_plain(hold))
    return f'{{"version":{VERSION},"code":"{_seal_text(text, key)}",\n"hold":{text}}}\n'.encode()


def load(data: bytes, key: bytes) -> Hold:
    """Raise Foreign for all that we did not write ourselves."""
    try:
        told = loads(data)
    except NotJson as exc:
        raise Foreign("it is not JSON") from exc
    if not isinstance(told, dict) or not isinstance(told.get("hold"), dict):
        raise Foreign("it is no hold")
    if told.get("version") != VERSION:
        raise Foreign(f"its version is {told.get('version')!r}, not {VERSION}")
    try:
        if told.get("code") != _seal_text(dumps(told["hold"]), key):
            raise Foreign("it was changed by somebody else")
        return Hold(**_read_fields(told["hold"]))
    except (TypeError, KeyError, OverflowError) as exc:
        raise Foreign("it has other fields") from exc


def _to_plain(value: object) -> object:
    if not isinstance(value, Value):
        return value
    return {name: _to_plain(each) for name, each in value.as_dict().items()}


# We wrote whatever passed the code, so its shape is known.
_SHAPES = {"limits": Limits, "counts": Counts, "last": Block, "verdict": HoldVerdict}


def _read_fields(told: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _SHAPES[name](**_read_fields(each)) if isinstance(each, dict) else _make_tuples(each)
        for name, each in told.items()
    }


def _make_tuples(value: Any) -> Any:  # noqa: ANN401  what JSON can say
    return tuple(map(_make_tuples, value)) if isinstance(value, list) else value


def _seal_text(text: str, key: bytes) -> str:
    if len(key) > blake2b.MAX_KEY_SIZE:
        raise Foreign("what it is sealed with is no key")
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()


def format_watch(path: str, hold: Hold) -> str:
    """Write what a watch says: which file holds the session, and its activation."""
    return f"{hold.activation}\n{path}"


def parse_watch(text: str) -> tuple[str, str]:
    """Return the activation and the file that a watch names."""
    activation, _, path = text.partition("\n")
    return activation, path


def so_many_blocks(number: int) -> str:
    return "1 block" if number == 1 else f"{number} blocks"


def is_session_id(text: object) -> bool:
    """Return whether it may become a part of a file's name."""
    return (
        isinstance(text, str)
        and 0 < len(text) <= _LONGEST_ID
        and text.isascii()
        and text[0].isalnum()
        and all(c.isalnum() or c in "-_" for c in text)
        and text != "null"
    )
