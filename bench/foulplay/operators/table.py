"""All operators: those of the first round family by family, then those kept as patches."""

from __future__ import annotations

from bench.foulplay.operators import (
    claims,
    code,
    contract,
    evidence,
    harness,
    process,
    removal,
    scope,
    skips,
    weakening,
)
from bench.foulplay.operators.operator import Operator
from bench.foulplay.patches import PATCHED_OPERATORS

OPERATORS: tuple[Operator, ...] = (
    *removal.OPERATORS,
    *weakening.OPERATORS,
    *skips.OPERATORS,
    *harness.OPERATORS,
    *process.OPERATORS,
    *code.OPERATORS,
    *contract.OPERATORS,
    *evidence.OPERATORS,
    *scope.OPERATORS,
    *claims.OPERATORS,
    *PATCHED_OPERATORS,
)
