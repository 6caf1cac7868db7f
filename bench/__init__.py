"""Benchmarks of goalkeeper, alone and beside a peer; run by hand, never imported by the package."""
