"""The probes that doubt a check that passed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from goalkeeper.git.trees import Trees
from goalkeeper.witness.probes.model import CheckProbe, ProbedCheck
from goalkeeper.witness.probes.spoilt import SpoiltTests
from goalkeeper.witness.variants import TreeVariants


def make_probes(
    trees: Trees, variants: TreeVariants, asked: Sequence[ProbedCheck]
) -> Sequence[CheckProbe]:
    reads = [check.reads for check in asked]
    opened = frozenset(path for each in reads if each for path in each.files)
    known = opened if all(reads) else None
    seed = os.urandom(16).hex()  # nobody can know what tests will expect
    return (SpoiltTests(trees, variants.base, variants.guarded, seed, known),)
