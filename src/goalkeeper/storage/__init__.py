"""The state directory: ledger, projections, locks, runs."""
