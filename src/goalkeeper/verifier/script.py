"""The verifier as one file, for those who have nothing else of goalkeeper."""

from __future__ import annotations

import ast
import os

_TAIL = '\n\nif __name__ == "__main__":\n    sys.exit(main())\n'
_PARTS = ("statement", "ed25519", "envelope", "repository", "inquiry", "command")


def join_script() -> str:
    """Join the modules of this package, in the order in which they need each other."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    bodies = []
    for part in _PARTS:
        source = _read_beside(f"{part}.py")
        last = 0
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.Import):
                plain.add(ast.unparse(statement))
            elif isinstance(statement, ast.ImportFrom):
                names = {alias.name for alias in statement.names}
                named.setdefault(statement.module or "", set()).update(names)
            else:
                continue
            last = statement.end_lineno or last
        bodies.append("\n".join(source.splitlines()[last:]).strip("\n"))
    outer = [
        name for name in sorted(named) if name.split(".")[0] not in {"__future__", "goalkeeper"}
    ]
    imports = [*sorted(plain), *(f"from {m} import {', '.join(sorted(named[m]))}" for m in outer)]
    return (
        _read_beside("script_head.txt")
        + "\n".join(imports)
        + "\n\n"
        + "\n\n\n".join(bodies)
        + "\n"
        + _TAIL
    )


def _read_beside(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
