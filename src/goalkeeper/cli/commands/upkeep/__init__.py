"""Commands about the state, the ledger and goalkeeper itself."""
