"""`screenshot`, `pty` and `automation`: a file of the tree shows something."""

from __future__ import annotations

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.captures.judges import JUDGES
from goalkeeper.witness.check_context import CheckContext, CheckResult, make_failed, make_passed


def check_capture(check: Check, place: CheckContext) -> CheckResult:
    data = place.files.read_file(check.main_option)
    if data is None:
        return make_failed(f"there is no file {check.main_option}")
    unfit = JUDGES[check.kind](data, "")
    return (
        make_failed(f"{unfit.code}: {unfit.message}")
        if unfit
        else make_passed("it shows something")
    )
