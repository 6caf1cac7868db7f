"""All claims of a text, found by the engine itself and not by who makes them."""

from __future__ import annotations

from bisect import bisect_left

from goalkeeper.core.claims.absence import find_absences
from goalkeeper.core.claims.file_state import file_states
from goalkeeper.core.claims.found import Claim
from goalkeeper.core.claims.outage import find_outages
from goalkeeper.core.claims.reading import read_text
from goalkeeper.core.claims.zero_count import zero_counts


def find_claims(text: str) -> tuple[Claim, ...]:
    """Every claim of every class, in the order of the text; one sentence may make several."""
    reading = read_text(text)
    zeros = list(zero_counts(reading))
    missing = [gap for gap in find_absences(reading) if not _is_counted(gap, zeros)]
    found = [*file_states(reading), *missing, *find_outages(reading), *zeros]
    return tuple(sorted(found, key=lambda claim: (claim.start, claim.end, claim.kind)))


def _is_counted(gap: Claim, zeros: list[Claim]) -> bool:
    """ "All entries are missing x" counts; that something is missing is only how it says so."""
    number = bisect_left(zeros, gap.start, key=lambda zero: zero.start) - 1
    return number >= 0 and gap.end <= zeros[number].end
