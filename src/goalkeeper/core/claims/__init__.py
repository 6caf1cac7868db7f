"""What an author claims, read from every sentence, and the evidence that each claim needs."""

from __future__ import annotations

from goalkeeper.core.claims.asserting import form
from goalkeeper.core.claims.evidence import (
    Evidence,
    Health,
    Override,
    Probe,
    Read,
    Search,
    Signal,
    Unsupported,
    unsupported,
)
from goalkeeper.core.claims.found import Claim, ClaimClass, Flaw
from goalkeeper.core.claims.hedging import hedges
from goalkeeper.core.claims.modality import Modality
from goalkeeper.core.claims.reading import Sentence, sentences
from goalkeeper.core.claims.scan import claims

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
    "claims",
    "form",
    "hedges",
    "sentences",
    "unsupported",
]
