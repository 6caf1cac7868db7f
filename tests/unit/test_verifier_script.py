"""The verifier as one file."""

import ast
from collections import Counter

from goalkeeper.verifier.script import join_script


def test_no_name_of_the_joined_verifier_stands_twice() -> None:
    """The modules share one namespace there: the later of two would win in silence."""
    tree = ast.parse(join_script())
    defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    targets = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    assigned = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]

    assert [name for name, count in Counter(defined + assigned).items() if count > 1] == []
    assert "main" in defined
