"""A project that nobody prepared: its set-up and its tests are tried before they are written down.

The first way that works is chosen. Where none does, it is said what each came to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from goalkeeper.app.contracts import make_verification
from goalkeeper.app.trials import Examination, Trial
from goalkeeper.config import Argv, Settings
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.named_tests import name_tests
from goalkeeper.core.plan.model import Base
from goalkeeper.core.projects.detect import DetectedProject
from goalkeeper.core.projects.runners import is_linter
from goalkeeper.core.projects.ways import SetupWay
from goalkeeper.wire.value import Value

_NOTHING = SetupWay("no set-up")
_SLOW_SECONDS = 60


class Preparer(Protocol):
    """What trying a set-up asks of the witness."""

    def try_setup(self, trial: Trial) -> str:
        """Set up the base; say what went wrong. Without a sandbox, checks do that themselves."""

    def examine_base(self, trial: Trial) -> Examination: ...


class TriedCommand(Value):
    """A command that verifies the project, as it came out in a clean checkout."""

    argv: Argv
    verdict: Verdict
    reason: str
    lacks: bool  # it could not be judged, for want of something outside of the tree


class Preparation(Value):
    """What was chosen for a project, and what trying it has shown."""

    settings: Settings
    way: str = ""  # the name of the set-up
    tried: tuple[TriedCommand, ...] = ()
    left: tuple[TriedCommand, ...] = ()  # what cannot be run here, and is not written down
    problems: tuple[str, ...] = ()  # what did not work, in the order in which it was tried
    notes: tuple[str, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Return whether its tests are green; linters that nobody has do not matter."""
        is_whole = all(is_linter(each.argv) for each in self.left)
        tests = [each for each in self.tried if not is_linter(each.argv)]
        return bool(tests) and is_whole and all(t.verdict is Verdict.PASSED for t in self.tried)

    @property
    def is_enough(self) -> bool:
        """Return whether no other way would show more: a tool that nobody has is lacking in all."""
        is_tested = self.merit[0] > 0 or all(is_linter(each.argv) for each in self.tried)
        passed = [each.verdict is Verdict.PASSED for each in self.tried if not each.lacks]
        return is_tested and any(passed) and all(passed)

    @property
    def merit(self) -> tuple[int, int, int]:
        """Return how much it shows: tests that pass, tests that can be named, all that passes."""
        green = [each.argv for each in self.tried if each.verdict is Verdict.PASSED]
        red = [each.argv for each in self.tried if each.verdict is Verdict.FAILED]
        tests = sum(not is_linter(argv) for argv in green)
        return tests, sum(name_tests(argv) is not None for argv in red), len(green)


def choose_untried(detected: DetectedProject, settings: Settings) -> Preparation:
    """Choose the likeliest set-up and commands, without trying them."""
    way = next(iter(detected.setups), _NOTHING)
    return Preparation(_settle(settings, way, detected.first_verify), way.name, notes=way.notes)


def prepare_project(
    witness: Preparer,
    base: Base,
    detected: DetectedProject,
    settings: Settings,
    *,
    tell: Callable[[str], None],
    read_seconds: Callable[[], float],
) -> Preparation:
    """Try the ways of a project in clean checkouts until all its commands pass.

    Where no set-up works, its commands may pass without one.
    """
    best = choose_untried(detected, settings)
    problems: list[str] = []
    for way in (*detected.setups, _NOTHING):
        if way is not _NOTHING:
            tell(f"trying {way.name}")
        elif best.tried:
            break
        for verify in detected.verify or ((),):
            trial = _make_trial(base, _settle(settings, way, verify))
            problem = witness.try_setup(trial)
            if problem:
                problems.append(f"{way.name}: {problem}")
                break
            began = read_seconds()
            found = _try_commands(witness, trial, verify, tell)
            seconds = read_seconds() - began
            notes = (*way.notes, *_note_slowness(seconds))
            now = Preparation(trial.settings, way.name, found, notes=notes)
            if now.is_enough or not verify:
                return _leave_out_lacking(now).replace(problems=tuple(problems))
            if way is not _NOTHING or not detected.setups:
                best = max(best, now, key=lambda each: (each.merit, bool(each.tried)))
    return _leave_out_lacking(best).replace(problems=tuple(problems))


def _settle(settings: Settings, way: SetupWay, verify: Sequence[Argv]) -> Settings:
    witness = settings.witness.replace(fetch=way.fetch, setup=way.setup)
    return settings.replace(verify=tuple(verify), witness=witness)


def _make_trial(base: Base, settings: Settings) -> Trial:
    return Trial(make_verification(settings.verify, ()), base, settings)


def _try_commands(
    witness: Preparer, trial: Trial, verify: Sequence[Argv], tell: Callable[[str], None]
) -> tuple[TriedCommand, ...]:
    if not verify:
        return ()
    tell(f"running {'; '.join(' '.join(argv) for argv in verify)} in a clean checkout")
    judged = witness.examine_base(trial).criteria
    return tuple(
        TriedCommand(argv, seen.verdict, seen.reason, bool(seen.outside))
        for argv, seen in zip(verify, judged, strict=True)
    )


def _note_slowness(seconds: float) -> tuple[str, ...]:
    if seconds < _SLOW_SECONDS:
        return ()
    return (f"the commands took {seconds:.0f} s, and every judgement runs them",)


def _leave_out_lacking(found: Preparation) -> Preparation:
    """Leave out commands that cannot be run here, unless that is all of them."""
    kept = [tried for tried in found.tried if not tried.lacks]
    if not kept or len(kept) == len(found.tried):
        return found
    left = tuple(tried for tried in found.tried if tried.lacks)
    settings = found.settings.replace(verify=tuple(tried.argv for tried in kept))
    return found.replace(settings=settings, tried=tuple(kept), left=left)
