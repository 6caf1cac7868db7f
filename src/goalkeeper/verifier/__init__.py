"""Verifies receipts without a ledger or a run; `script` joins it into one file for others."""
