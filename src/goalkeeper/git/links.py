"""Symbolic links of a tree, and the other names that they give to its paths."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

_MOST_STEPS = 40  # as many as Linux takes
_MOST_NAMES = 100  # links that lead into each other give names without end


class Links:
    def __init__(self, texts: Mapping[str, str]) -> None:
        """`texts` are the links of a tree, with what stands in them."""
        self._leading_to: dict[str, list[str]] = {}
        for link, text in texts.items():
            target = os.path.normpath(os.path.join(os.path.dirname(link), text))
            # One to a folder that it lies in leads to everything: to the product, too.
            if not link.startswith(f"{target}/"):
                self._leading_to.setdefault(target, []).append(link)

    def names(self, path: str) -> dict[str, str]:
        """What else a path can be called, and the link that leads from there."""
        found: dict[str, str] = {}
        last = [path] if self._leading_to else []
        for _ in range(_MOST_STEPS):
            step = {name: link for known in last for name, link in self._step(known)}
            last = [name for name in step if name != path and name not in found]
            found |= {name: step[name] for name in last}
            if not last or len(found) > _MOST_NAMES:
                break
        return found

    def _step(self, path: str) -> Iterator[tuple[str, str]]:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            for link in self._leading_to.get("/".join(parts[:end]), ()):
                yield "/".join((link, *parts[end:])), link
