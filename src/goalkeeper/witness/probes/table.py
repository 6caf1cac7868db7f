"""The probes that doubt a check that passed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from goalkeeper.core.contract.protected import role_of_path
from goalkeeper.tamper.spoiling.doctests import PAGES
from goalkeeper.witness.probes.accusations import ONLY_THESE_INPUTS
from goalkeeper.witness.probes.alone import SpoiltAlone
from goalkeeper.witness.probes.around import OtherSurroundings
from goalkeeper.witness.probes.asking import QuestionProbe
from goalkeeper.witness.probes.disguise import Disguise
from goalkeeper.witness.probes.examples import BaseExamples
from goalkeeper.witness.probes.freed import FreedFiles
from goalkeeper.witness.probes.heart import KnownByHeart
from goalkeeper.witness.probes.model import CheckProbe, ProbedCheck
from goalkeeper.witness.probes.order import OtherOrder
from goalkeeper.witness.probes.printed import PrintedAnswers
from goalkeeper.witness.probes.ready import ReadyAnswers
from goalkeeper.witness.probes.spoilt import SpoiltTests
from goalkeeper.witness.probes.varied import VariedCommand
from goalkeeper.witness.probes.work_literals import WorkLiterals
from goalkeeper.witness.variants import TreeVariants

# Neighbours are chosen by a secret of the run. Who was found out once could change a blank and
# claim again until luck has chosen others.
_TURNS = 4


def make_probes(
    variants: TreeVariants, asked: Sequence[ProbedCheck], suspected: frozenset[str]
) -> Sequence[CheckProbe]:
    """Return the probes. Each test file is asked about by the first check that opened it.

    What earlier judgements `suspected` is tried in several ways at once.
    """
    trees, tree = variants.trees, asked[0].tree
    reads = [check.reads for check in asked]
    opened = frozenset(path for each in reads if each for path in each.files)
    askers = {
        path: check.criterion.id
        for check in reversed(asked)
        for path in (check.reads.files if check.reads else trees.list_entries(tree))
    }
    seed = os.urandom(16).hex()  # nobody can know what tests will expect
    given, doctested = (trees, variants.base, tree, seed), _find_doctested(asked)
    asking = QuestionProbe(*given, askers, _find_red(asked))
    spoilt = SpoiltTests(*given, opened if all(reads) else None, doctested)
    return (
        spoilt,
        Disguise(*given),  # these two run whole suites: what is long begins first
        SpoiltAlone(spoilt),
        BaseExamples(*given[:3], doctested),
        *_repeat(asking, suspected),
        OtherSurroundings(asking),
        KnownByHeart(asking),
        ReadyAnswers(WorkLiterals(*given[:3]), spoilt),
        VariedCommand(*given),
        PrintedAnswers(*given),
        OtherOrder(*given),
        *([FreedFiles(trees, tree, variants.freed)] if tree == variants.guarded else ()),
    )


def _repeat(probe: QuestionProbe, suspected: frozenset[str]) -> Sequence[QuestionProbe]:
    turns = range(2, _TURNS + 1) if ONLY_THESE_INPUTS in suspected else ()
    others = [
        probe.replace(seed=os.urandom(16).hex(), name=f"{probe.name}, turn {turn}")
        for turn in turns
    ]
    return (probe, *others)


def _find_doctested(asked: Sequence[ProbedCheck]) -> frozenset[str]:
    """Return files of the product that reports name as files of tests."""
    ids = (case.id for check in asked for case in check.seen.cases)
    files = {path for path, apart, _ in (name.partition("::") for name in ids) if apart}
    return frozenset(f for f in files if f.endswith((".py", *PAGES)) and not role_of_path(f))


def _find_red(asked: Sequence[ProbedCheck]) -> frozenset[str]:
    """Return the tests that the base does not pass."""
    return frozenset(
        case.id for check in asked for case in check.seen.cases if case.id not in check.known
    )
