"""Verifies receipts without a ledger or a run; `script` joins it into one file for others."""

from goalkeeper.verifier.command import Unusable, answered, main, options
from goalkeeper.verifier.envelope import key_id, payload_of, statement_of
from goalkeeper.verifier.inquiry import verify
from goalkeeper.verifier.policy import POLICY_LINES, rules_of
from goalkeeper.verifier.repository import NOTES
from goalkeeper.verifier.statement import (
    ISOLATIONS,
    KINDS,
    MOST_BYTES,
    PAYLOAD,
    PREDICATE,
    STATEMENT,
    commit_of,
    tree_of,
)

__all__ = [
    "ISOLATIONS", "KINDS", "MOST_BYTES", "NOTES", "PAYLOAD", "POLICY_LINES", "PREDICATE",
    "STATEMENT", "Unusable", "answered", "commit_of", "key_id", "main", "options", "payload_of",
    "rules_of", "statement_of", "tree_of", "verify",
]  # fmt: skip
