"""A statement as people read it."""

from intake.money import show
from intake.rows import Intake
from intake.totals import by_account


def summary(intake: Intake) -> str:
    lines = [f"{len(intake.rows)} rows, {len(intake.rejected)} rejected"]
    lines += [f"line {bad.line}: {bad.reason}" for bad in intake.rejected]
    lines += [f"{name} {show(total)}" for name, total in by_account(intake.rows).items()]
    return "\n".join(lines) + "\n"
