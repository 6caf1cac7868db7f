"""The symbolic links of a tree, and the other names that they give to its paths."""

from __future__ import annotations

import os
from collections.abc import Mapping

_MOST_STEPS = 40  # Linux follows as many links
_MOST_NAMES = 100  # links that lead into each other give infinitely many names


class Links:
    def __init__(self, texts: Mapping[str, str]) -> None:
        """Make the links; `texts` maps each link of a tree to the path that is written in it."""
        self._leading_to: dict[str, list[str]] = {}
        for link, text in texts.items():
            target = os.path.normpath(os.path.join(os.path.dirname(link), text))
            # A link to a folder that it lies in leads to everything, also to the product.
            if not link.startswith(f"{target}/"):
                self._leading_to.setdefault(target, []).append(link)

    def find_names(self, path: str) -> dict[str, str]:
        """Return the other names of a path, each with the link that makes it one."""
        found: dict[str, str] = {}
        last = [path] if self._leading_to else []
        for _ in range(_MOST_STEPS):
            step = {
                "/".join((link, *parts[end:])): link
                for parts in (known.split("/") for known in last)
                for end in range(1, len(parts) + 1)
                for link in self._leading_to.get("/".join(parts[:end]), ())
            }
            last = [name for name in step if name != path and name not in found]
            found |= {name: step[name] for name in last}
            if not last or len(found) > _MOST_NAMES:
                break
        return found
