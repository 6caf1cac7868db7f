"""A phase is one agent process at one stage of an iteration; its record says how it went."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.wire.value import Value

SAID_LIMIT = 2000  # so many characters of an agent's last words are kept


class Phase(StrEnum):
    PLAN = "plan"
    IMPL = "impl"
    VERIFY = "verify"
    REFINE = "refine"
    SHIP = "ship"
    CLEANER = "cleaner"  # this role and the following ones review what was judged good
    ARCHITECT = "architect"
    QA = "qa"
    CRITIC = "critic"
    EXAMINER = "examiner"  # it drafts a contract before anybody works
    CHALLENGE = "challenge"  # an examiner is asked whether a drafted contract is right
    PLANNER = "planner"  # it writes the plan of a campaign, and no code
    PLAN_CRITIC = "plan-critic"  # it reads such a plan, and says what is wrong with it


class Depth(StrEnum):
    QUICK = "quick"
    FULL = "full"


WORK = (Phase.PLAN, Phase.IMPL, Phase.VERIFY, Phase.REFINE, Phase.SHIP)
READING = frozenset({Phase.PLAN, Phase.VERIFY})  # these change no files
REQUIRED = {Depth.QUICK: (Phase.IMPL,), Depth.FULL: WORK}
BEFORE_WORK = frozenset({Phase.EXAMINER, Phase.CHALLENGE, Phase.PLANNER, Phase.PLAN_CRITIC})
REVIEWS = frozenset(Phase) - frozenset(WORK) - BEFORE_WORK


class Ending(StrEnum):
    """How an agent's process ended; it says nothing about whether the work is done."""

    OK = "ok"
    MOST_TURNS = "most-turns"  # the client's own limit ended it
    MOST_COST = "most-cost"  # the client's own limit ended it
    RATE_LIMITED = "rate-limited"
    OUTAGE = "outage"
    AUTH = "auth"
    CONTEXT = "context"  # the prompt or the conversation is too long
    STALLED = "stalled"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    CRASH = "crash"
    NOT_STARTED = "not-started"


class Spend(Value):
    """What work cost. Money is in millionths of a dollar; None means that nobody knows."""

    input_tokens: int = 0  # it counts all of them, cached ones included
    output_tokens: int = 0
    cached_tokens: int = 0
    microdollars: int | None = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Spend) -> Spend:
        """Add what is known of the money; `Drive.unpriced` counts what is not."""
        return Spend(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            (self.microdollars or 0) + (other.microdollars or 0),
        )


class Record(Value):
    """What an agent's process did, in one form for all clients; goalkeeper writes it."""

    client: str
    ending: Ending
    session: str = ""  # the client's own id of the session
    model: str = ""
    exit_code: int | None = None
    spend: Spend = Spend()
    tool_calls: int = 0
    resets_at: str = ""  # the moment when a rate limit ends, if it was told
    problem: str = ""  # it says in a few words why the process ended as it did
    said: str = ""  # its last words, clipped; they decide nothing
    out: str = ""  # the digest of all it printed
    milliseconds: int = 0
