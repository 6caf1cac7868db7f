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
├─ Interrupted          130   Ctrl-C
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

    def __init_subclass__(cls) -> None:
        if "code" not in cls.__dict__:  # UnknownRun is unknown-run, UsageError is usage
            name = cls.__name__.removesuffix("Error")
            cls.code = "".join(f"-{c.lower()}" if c.isupper() else c for c in name)[1:]

    def __init__(self, *, hint: str = "", **facts: object) -> None:
        self.facts = facts
        self.hint = (hint or self.hint).format(**facts) if facts else hint or self.hint
        self.message = (self.__doc__ or type(self).__name__).format(**facts)
        super().__init__(self.message)


# 2: usage


class UsageError(GoalkeeperError):
    """{problem}"""

    exit_code = 2


class UnsafeRunId(UsageError):
    """'{run}' is not a run id: expected YYYYMMDD-HHMMSS-xxxx."""

    hint = "goalkeeper status shows the run in use; runs are the folders in {runs}"


class UnknownRun(UsageError):
    """There is no run {run} in {runs}."""

    hint = "ls {runs}"


class RunBoundElsewhere(UsageError):
    """Run {run} belongs to another client session; name it to work on it from here."""

    hint = "add --run {run}, or set GOALKEEPER_RUN={run}"


class NoPlan(UsageError):
    """There is no plan in {root}."""

    hint = 'goalkeeper create-goals --brief "<what you want>"'


class UnknownGoal(UsageError):
    """There is no goal '{goal_id}' in run {run}; it has {known}."""

    hint = "goalkeeper status"


class GoalUnnamed(UsageError):
    """Which goal is meant? None is active in run {run}, which has {known}."""

    hint = "add --goal-id {first}, or start the next goal: goalkeeper complete-goals"


class InputUnreadable(UsageError):
    """{what} cannot be read from {path}: {reason}."""

    hint = "give it as UTF-8 text, then repeat the command; nothing was written"


class PathOutside(UsageError):
    """{path} lies outside the repository {root}; only a human may name it, as an absolute path."""

    hint = "copy the file into the repository and name it there"


class NotAnObject(UsageError):
    """{what} must be a JSON {expected}: {problem}."""

    hint = "mend {what}, then repeat the command; nothing was written"


# 3: configuration, briefs, versions


class ConfigError(GoalkeeperError):
    """The configuration cannot be used."""

    exit_code = 3


class ConfigInvalid(ConfigError):
    """{path} has {count} problem(s): {problems}"""

    hint = "edit {path}, then run goalkeeper state doctor"


class BriefInvalid(ConfigError):
    """{source} cannot become a plan: {problems}"""

    hint = "mend the brief and run create-goals again; nothing was written"


class ContractInvalid(ConfigError):
    """{source} cannot be used: {problems}"""

    hint = "goalkeeper schema contract shows what a contract may say; nothing was written"


class AnswersInvalid(ConfigError):
    """{source} cannot be used: {problems}"""

    hint = "goalkeeper schema answers shows what answers may say; nothing was written"


class NoBase(ConfigError):
    """It is not known where work on {goal_id} began: git did not record it with the plan."""

    hint = (
        "goalkeeper contract freeze --goal-id {goal_id}{file} --base now "
        "(a human's command; when work has begun already: --base <commit before it>)"
    )


class StateTooNew(ConfigError):
    """{path} was written by a newer goalkeeper ({found}; this one knows {known})."""

    hint = "upgrade goalkeeper (nothing was changed); a projection may also be deleted"


class StateMisplaced(ConfigError):
    """The state directory {path} cannot be used: {reason}."""

    hint = "move {path} away and run goalkeeper init"


# 4: ledger integrity


class LedgerError(GoalkeeperError):
    """The ledger cannot be trusted."""

    exit_code = 4


class LedgerTorn(LedgerError):
    """{path} ends in an incomplete command: {torn_bytes} byte(s) from line {line} on ({reason})."""

    hint = "goalkeeper state repair --run {run}"


class LedgerBroken(LedgerError):
    """{path} is broken at line {line}: {reason}."""

    hint = (
        "restore the file from a backup, or set this run aside with "
        "goalkeeper state clear --force --mode ultragoal --run {run}"
    )


class ProjectionDiffers(LedgerError):
    """{path} is not what the ledger says."""

    hint = "goalkeeper state repair --run {run} rebuilds it"


# 5: the outside world


class OutsideError(GoalkeeperError):
    """The outside world did not play along."""

    exit_code = 5


class AnswerLost(OutsideError):
    """The command was carried out, but its answer could not be written: {reason}."""

    hint = "goalkeeper status shows what is recorded"


class PlaceGone(OutsideError):
    """The working directory is gone."""

    hint = "cd to a directory that exists, then repeat the command"


class DiskFailed(OutsideError):
    """Cannot {action} {path}: {reason}. Nothing was recorded."""

    hint = "see to {path}, then repeat the command"


# 75: try again


class TryAgain(GoalkeeperError):
    """Busy."""

    code = "busy"
    exit_code = 75


class RunGone(TryAgain):
    """Run {run} was set aside meanwhile."""

    hint = "goalkeeper status"


class LockBusy(TryAgain):
    """{path} is held by {holder}; waited {waited_seconds} s."""

    hint = "repeat the command; goalkeeper state doctor names the holder"


# 130 and 70


class Interrupted(GoalkeeperError):
    """Interrupted. What was recorded before stays recorded."""

    exit_code = 130
    hint = "goalkeeper status"


class Bug(GoalkeeperError):
    """This is a bug in goalkeeper: {problem}. {where}"""

    exit_code = 70
    hint = "goalkeeper state doctor says whether the state is sound"
