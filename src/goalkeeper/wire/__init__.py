"""Bytes that the fast path and the rest agree on. Pure; light imports only."""
