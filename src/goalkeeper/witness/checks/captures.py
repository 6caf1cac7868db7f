"""`screenshot`, `pty` and `automation`: a file of the tree shows something."""

from __future__ import annotations

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import Place, Seen, failed, passed
from goalkeeper.witness.proofs.judges import JUDGES


def capture(check: Check, place: Place) -> Seen:
    data = place.files.read(check.main)
    if data is None:
        return failed(f"there is no file {check.main}")
    unfit = JUDGES[check.kind](data, "")
    return failed(f"{unfit.code}: {unfit.message}") if unfit else passed("it shows something")
