"""These functions write sizes for people."""

from __future__ import annotations

from collections.abc import Mapping

_KB, _MB = 1000, 1_000_000


def write_size(size: int) -> str:
    return f"{size / _MB:.1f} MB" if size >= _MB else f"{-(-size // _KB)} kB"


def write_disk_line(sizes: Mapping[str, int]) -> str:
    """Say what goalkeeper has written for a repository."""
    told = ", ".join(f"{name} {write_size(size)}" for name, size in sizes.items())
    return f"On disk: {told}; goalkeeper clean --dry-run says what can go."
