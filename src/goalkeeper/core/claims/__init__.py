"""What an author claims, read from every sentence, and the evidence that each claim needs."""

from __future__ import annotations

from goalkeeper.core.claims.asserting import find_bare_assertions
from goalkeeper.core.claims.evidence import (
    Evidence,
    Health,
    Override,
    Probe,
    Read,
    Search,
    Signal,
    Unsupported,
    find_unsupported,
)
from goalkeeper.core.claims.found import Claim, ClaimClass, Flaw
from goalkeeper.core.claims.hedging import find_hedges
from goalkeeper.core.claims.modality import Modality
from goalkeeper.core.claims.reading import Sentence, split_sentences
from goalkeeper.core.claims.scan import find_claims

__all__ = [
    "Claim",
    "ClaimClass",
    "Evidence",
    "Flaw",
    "Health",
    "Modality",
    "Override",
    "Probe",
    "Read",
    "Search",
    "Sentence",
    "Signal",
    "Unsupported",
    "find_bare_assertions",
    "find_claims",
    "find_hedges",
    "find_unsupported",
    "split_sentences",
]
