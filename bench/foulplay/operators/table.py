"""All operators, family by family."""

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
)
