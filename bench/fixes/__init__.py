"""Releases of real packages as whole judgements: the tests that came with them are the contract."""
