"""Probes: the tests run in another way, in which honest work gives the same answer."""
