"""Reads the settings from config.toml."""

from __future__ import annotations

import os

from goalkeeper import config
from goalkeeper.core.problems import Problem
from goalkeeper.core.shipped import parse_toml
from goalkeeper.errors import ConfigInvalid, StateTooNew
from goalkeeper.storage.disk import disk_errors
from goalkeeper.system.safe_open import open_plain_file


def find_settings(path: str) -> config.Settings:
    """Return the settings, or the defaults where there is no file."""
    return read_settings(path) if os.path.lexists(path) else config.Settings()


def read_settings(path: str) -> config.Settings:
    """Read the settings; raise ConfigInvalid with every problem of the file."""
    with disk_errors("read", path), open_plain_file(path) as file:
        return parse_settings(file.read(), path)


def parse_settings(data: bytes, path: str) -> config.Settings:
    try:
        raw = parse_toml(data.decode())
    except (ValueError, RecursionError) as exc:
        raise _invalid_error(path, (Problem("file", str(exc)),)) from exc
    version = raw.get("version", config.VERSION)
    if isinstance(version, int) and version > config.VERSION:
        known = f"version {config.VERSION}"
        raise StateTooNew(path=path, found=f"version {version}", known=known)
    settings = config.parse_settings_table(raw)
    if not isinstance(settings, config.Settings):
        raise _invalid_error(path, settings)
    return settings


def _invalid_error(path: str, problems: tuple[Problem, ...]) -> ConfigInvalid:
    listed = "; ".join(problem.message for problem in problems)
    return ConfigInvalid(path=path, count=len(problems), problems=listed)
