"""The documents that come along with goalkeeper; `goalkeeper help TOPIC` prints them."""

from __future__ import annotations

import os

_ENDING = ".md"
_FOLDERS = ("", "reference")
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
# A wheel has them inside of the package; a checkout has them at its root.
_PLACES = (os.path.join(_PACKAGE, "docs"), os.path.join(_PACKAGE, "..", "..", "docs"))


def list_topics() -> list[str]:
    found: list[str] = []
    for folder in _FOLDERS:
        place = os.path.join(_find_place(), folder)
        names = sorted(os.listdir(place)) if os.path.isdir(place) else []
        found += [f"{folder}/{name}".lstrip("/") for name in names if name.endswith(_ENDING)]
    return [name.removesuffix(_ENDING) for name in found]


def read_topic(name: str) -> str:
    """Return the document with this name, without folder and ending, too; empty if none has it."""
    wanted = name.removesuffix(_ENDING).removeprefix("docs/")
    found = [topic for topic in list_topics() if wanted in {topic, os.path.basename(topic)}]
    if not found:
        return ""
    with open(os.path.join(_find_place(), found[0] + _ENDING), encoding="utf-8") as file:
        return file.read()


def _find_place() -> str:
    return next(filter(os.path.isdir, _PLACES), _PLACES[0])
