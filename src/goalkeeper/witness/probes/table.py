"""The probes that doubt a check that passed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from goalkeeper.git.trees import Trees
from goalkeeper.witness.probes.asking import QuestionProbe
from goalkeeper.witness.probes.disguise import Disguise
from goalkeeper.witness.probes.model import CheckProbe, ProbedCheck
from goalkeeper.witness.probes.spoilt import SpoiltTests
from goalkeeper.witness.variants import TreeVariants


def make_probes(
    trees: Trees, variants: TreeVariants, asked: Sequence[ProbedCheck]
) -> Sequence[CheckProbe]:
    """Return the probes. Each test file is asked about by the first check that opened it."""
    tree = asked[0].tree
    reads = [check.reads for check in asked]
    opened = frozenset(path for each in reads if each for path in each.files)
    askers = {
        path: check.criterion.id
        for check in reversed(asked)
        for path in (check.reads.files if check.reads else trees.list_entries(tree))
    }
    seed = os.urandom(16).hex()  # nobody can know what tests will expect
    given = (trees, variants.base, tree, seed)
    return (
        SpoiltTests(*given, opened if all(reads) else None),
        QuestionProbe(*given, askers),
        Disguise(*given),
    )
