"""Sizes for people."""

from __future__ import annotations

from collections.abc import Mapping

_KB, _MB = 1000, 1_000_000


def write_size(size: int) -> str:
    return f"{size / _MB:.1f} MB" if size >= _MB else f"{-(-size // _KB)} kB"


def write_disk_line(sizes: Mapping[str, int]) -> str:
    """Say what goalkeeper has written for a repository, and what `clean` would free."""
    told = ", ".join(
        f"{name} {write_size(size)}" for name, size in sizes.items() if name != "garbage"
    )
    return f"On disk: {told}; goalkeeper clean would free {write_size(sizes['garbage'])}."
