"""Verifies receipts without a ledger or a run; `script` joins it into one file for others."""

from goalkeeper.verifier.command import Unusable, add_options, answer_command, main
from goalkeeper.verifier.envelope import key_id, read_payload, read_statement
from goalkeeper.verifier.inquiry import POLICY_LINES, parse_policy, verify_receipt
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
    "STATEMENT", "Unusable", "add_options", "answer_command", "commit_of", "key_id", "main",
    "parse_policy", "read_payload", "read_statement", "tree_of", "verify_receipt",
]  # fmt: skip
