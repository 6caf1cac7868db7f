"""The verifier as one file, for those who have nothing else of goalkeeper."""

from __future__ import annotations

import ast
import os

_HEAD = '''#!/usr/bin/env python3
"""Verify a goalkeeper receipt. This file needs nothing but Python 3.11 and `cryptography`.

    python3 verifier.py [RECEIPT] --key KEY.pub [--policy POLICY.toml] [--repository DIR]
                        [--commit REV] [--kind final] [--goal GOAL] [--isolation sandbox]

A receipt is an in-toto Statement (v1) in a DSSE envelope, signed with ed25519. It says that a
gate was passed: for which tree, by which contracts, with which verdicts, how well isolated.
This file asks git whether the commit at hand is the one that the receipt speaks of; where no
file is named, it reads the receipts in the note of the commit (refs/notes/goalkeeper, one a
line), of which one must hold. It asks nothing else: no ledger, no network, no goalkeeper.
Exit 0: the receipt holds; 1: it does not, and every reason is told; 2: wrong usage.
"""

from __future__ import annotations

'''
_TAIL = '\n\nif __name__ == "__main__":\n    sys.exit(main())\n'
_PARTS = ("statement", "envelope", "repository", "inquiry", "command")


def join_script() -> str:
    """Joins the modules of this package, in the order in which they need each other."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    bodies = []
    for part in _PARTS:
        with open(os.path.join(os.path.dirname(__file__), f"{part}.py")) as file:
            source = file.read()
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
    return _HEAD + "\n".join(imports) + "\n\n" + "\n\n\n".join(bodies) + "\n" + _TAIL
