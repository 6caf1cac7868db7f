"""The folders in which a project's packages lie, and those that hold nothing but caches."""

from __future__ import annotations

from goalkeeper.wire.pattern import late_pattern

_CACHE = late_pattern(
    r"(?:.*/)?(?:__pycache__|\.(?:pytest|mypy|ruff|hypothesis|cache|parcel-cache|turbo|nyc_output)"
    r"[^/]*|\.DS_Store|\.idea|\.vscode|\.coverage[^/]*|coverage|htmlcov|[^/]*\.(?:pyc|log|swp|tmp)"
    r"|\.goalkeeper[^/]*)"
)
_ENVIRONMENT = late_pattern(
    r"(?:.*/)?(?:\.?venv|\.?env|node_modules|vendor|target|__pypackages__|\.tox|\.nox|\.pnp[^/]*"
    r"|\.bundle|\.yarn)"
)


def is_cache(path: str) -> bool:
    """Return whether tools make it anew when it is missing, so that no check can need it."""
    return bool(_CACHE.fullmatch(path))


def is_environment(path: str) -> bool:
    """Return whether packages lie there."""
    return bool(_ENVIRONMENT.fullmatch(path))


def rank_environment(path: str) -> tuple[bool, int, str]:
    """Return an order in which folders of packages come first, and then what lies higher."""
    return not is_environment(path), path.count("/"), path
