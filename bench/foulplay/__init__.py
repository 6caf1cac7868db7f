"""Cheating operators and honest controls, with which gates are measured."""
