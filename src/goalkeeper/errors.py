"""Every error a user can meet, in one tree. Imports nothing.

GoalkeeperError
├─ UsageError             2   bad words on the command line, unknown ids, unreadable input
├─ ConfigError            3   config.toml or a brief that cannot be used; state from a newer version
├─ LedgerError            4   the ledger's bytes are not what we wrote
│  ├─ LedgerTorn              the last command is incomplete: `state repair` mends it
│  ├─ LedgerBroken            a line was changed, lost, doubled or is foreign: never mended silently
│  └─ ProjectionDiffers       goals.json or brief.md was edited or lost: `state repair` rebuilds it
├─ OutsideError           5   the disk, the file system, a tool
├─ TryAgain              75   somebody else holds the lock, or was faster
├─ Interrupted          130   Ctrl-C; after another signal 128 and its number
└─ Bug                   70   our fault; a crash log tells the story

The class docstring is the message; the keyword arguments fill it in and are the evidence
that `--json` prints. `hint` is the next command to run. The name of the class is the code.
A refusal (the answer is no, exit 1) is a value, `core.plan.model.Refused`, and not an error.
"""

from __future__ import annotations


class GoalkeeperError(Exception):
    """Something went wrong."""

    code = "error"
    exit_code = 70
    hint = ""

    def __init_subclass__(cls, *, hint: str = "", exit_code: int = 0) -> None:
        cls.hint, cls.exit_code = hint or cls.hint, exit_code or cls.exit_code
        if "code" not in cls.__dict__:  # UnknownRun is unknown-run, UsageError is usage
            name = cls.__name__.removesuffix("Error")
            cls.code = "".join(f"-{c.lower()}" if c.isupper() else c for c in name)[1:]

    def __init__(self, *, hint: str = "", **facts: object) -> None:
        self.facts = facts
        self.hint = (hint or self.hint).format(**facts) if facts else hint or self.hint
        self.message = (self.__doc__ or type(self).__name__).format(**facts)
        super().__init__(self.message)


class UsageError(GoalkeeperError, exit_code=2):
    """{problem}"""


class UnsafeRunId(
    UsageError, hint="goalkeeper status shows the run in use; runs are the folders in {runs}"
):
    """'{run}' is not a run id: expected YYYYMMDD-HHMMSS-xxxx."""


class UnknownRun(UsageError, hint="ls {runs}"):
    """There is no run {run} in {runs}."""


class UnknownCampaign(UsageError, hint="goalkeeper campaign list"):
    """There is no campaign {campaign} in this repository."""


class NoCampaign(UsageError, hint="goalkeeper campaign plan --from plan.md"):
    """There is no campaign in this repository yet."""


class RunBoundElsewhere(UsageError, hint="add --run {run}, or set GOALKEEPER_RUN={run}"):
    """Run {run} belongs to another client session; name it to work on it from here."""


class NoPlan(UsageError, hint='goalkeeper create-goals --brief "<what you want>"'):
    """There is no plan in {root}."""


class UnknownGoal(UsageError, hint="goalkeeper status"):
    """There is no goal '{goal_id}' in run {run}; it has {known}."""


class GoalUnnamed(
    UsageError, hint="add --goal-id {first}, or start the next goal: goalkeeper complete-goals"
):
    """Which goal is meant? None is active in run {run}, which has {known}."""


class InputUnreadable(
    UsageError, hint="give it as UTF-8 text, then repeat the command; nothing was written"
):
    """{what} cannot be read from {path}: {reason}."""


class PathOutside(UsageError, hint="copy the file into the repository and name it there"):
    """{path} lies outside the repository {root}; only a human may name it, as an absolute path."""


class NotAnObject(UsageError, hint="mend {what}, then repeat the command; nothing was written"):
    """{what} must be a JSON {expected}: {problem}."""


class ConfigError(GoalkeeperError, exit_code=3):
    """The configuration cannot be used."""


class ConfigInvalid(ConfigError, hint="edit {path}, then run goalkeeper state doctor"):
    """{path} has {count} problem(s): {problems}"""


class BriefInvalid(
    ConfigError, hint="mend the brief and run create-goals again; nothing was written"
):
    """{source} cannot become a plan: {problems}"""


class ContractInvalid(
    ConfigError,
    hint="goalkeeper schema contract shows what a contract may say; nothing was written",
):
    """{source} cannot be used: {problems}"""


class AnswersInvalid(
    ConfigError, hint="goalkeeper verify --template prints a file to fill in; nothing was written"
):
    """{source} cannot be used: {problems}"""


class NoBase(
    ConfigError,
    hint="goalkeeper contract freeze --goal-id {goal_id}{file} --base now "
    "(a human's command; when work has begun already: --base <commit before it>)",
):
    """It is not known where work on {goal_id} began: git did not record it with the plan."""


class StateTooNew(
    ConfigError, hint="upgrade goalkeeper (nothing was changed); a projection may also be deleted"
):
    """{path} was written by a newer goalkeeper ({found}; this one knows {known})."""


class StateMisplaced(ConfigError, hint="move {path} away and run goalkeeper init"):
    """The state directory {path} cannot be used: {reason}."""


class StateForeign(
    ConfigError,
    hint="goalkeeper trust --state shows it, and takes it over: after a move of the repository, "
    "with another HOME, or if you know who made it",
):
    """{path} is not used: it was made at another place, by another user or by an older version."""


class StateTracked(
    ConfigError,
    hint="git rm -r --cached {tracked}, and delete what is not yours; "
    "then goalkeeper trust --state takes over what is left",
):
    """git tracks {tracked}, so it is not used as state: a commit of somebody else may bring it."""


class LedgerError(GoalkeeperError, exit_code=4):
    """The ledger cannot be trusted."""


class LedgerTorn(LedgerError, hint="goalkeeper state repair --run {run}"):
    """{path} ends in an incomplete command: {torn_bytes} byte(s) from line {line} on ({reason})."""


class LedgerBroken(
    LedgerError,
    hint="restore the file from a backup; or a human sets this run aside with "
    "goalkeeper state clear --force --mode ultragoal --run {run}",
):
    """{path} is broken at line {line}: {reason}."""


class LedgerForged(LedgerError, hint="goalkeeper state repair --run {run} moves it to quarantine"):
    """{path} was not written by goalkeeper from line {line} on: {reason}."""


class EvidenceGone(
    LedgerError, hint="restore {path} from a backup; goalkeeper land proves again what it lands"
):
    """{name} counts as proven, and its evidence is not in {path}, or was changed."""


class ProjectionDiffers(LedgerError, hint="goalkeeper state repair --run {run} rebuilds it"):
    """{path} is not what the ledger says."""


class OutsideError(GoalkeeperError, exit_code=5):
    """The outside world did not play along."""


class AnswerLost(OutsideError, hint="goalkeeper status shows what is recorded"):
    """The command was carried out, but its answer could not be written: {reason}."""


class PlaceGone(OutsideError, hint="cd to a directory that exists, then repeat the command"):
    """The working directory is gone."""


class DiskFailed(OutsideError, hint="see to {path}, then repeat the command"):
    """Cannot {action} {path}: {reason}. Nothing was recorded."""


class TryAgain(GoalkeeperError, exit_code=75):
    """Busy."""

    code = "busy"


class RunGone(TryAgain, hint="goalkeeper status"):
    """Run {run} was set aside meanwhile."""


class LockBusy(TryAgain, hint="repeat the command; goalkeeper state doctor names the holder"):
    """{path} is held by {holder}; waited {waited_seconds} s."""


class Interrupted(GoalkeeperError, exit_code=130, hint="goalkeeper status"):
    """Interrupted. What was recorded before stays recorded."""

    def __init__(self, interrupt: KeyboardInterrupt, *, hint: str = "") -> None:
        """Take what Python raised: at Ctrl-C without arguments, else with a signal's number."""
        super().__init__(hint=hint)
        if interrupt.args:
            self.exit_code = 128 + int(interrupt.args[0])


class Bug(
    GoalkeeperError, exit_code=70, hint="goalkeeper state doctor says whether the state is sound"
):
    """This is a bug in goalkeeper: {problem}. {where}"""
