"""Our own writing of Python nodes is that of `ast.unparse`, and quicker where nodes come again."""

import ast
from pathlib import Path

import goalkeeper.tamper.python.asserts as product
from goalkeeper.tamper.python.writing import code_of

HARD = r"""
(1, 2)[0, 1:2]; (1,); (); {*()}; {1: 2, **a}; {**a}; f(*a, k=1, **b); f(x for x in y)
3 .real; 1e400; -1; 1j; ...; u'u'; b'\0'; 'a' 'b'; "it's"; f'{a!r:>{w}}'; f"{'a'}"
(a, b) == (c, d); a < b <= c; (a == b) == c; (not a) in b; not a == b; not (a and b); not not a
(yield); (x := 1) == 2; a[x := 1]; a[b][c](d)(e).f; (lambda: 1)(); (a or b).c; -a ** -b
[x for x in y if z]; {x: 1 for x in y}; a if b else c; (a if b else c).d; [*a, *b]; a[*b]; a @ b
"""


def test_nodes_are_written_as_python_writes_them() -> None:
    sources = [HARD, Path(product.__file__).read_text("utf-8")]
    nodes = [node for text in sources for node in ast.walk(ast.parse(text))]
    written = [node for node in nodes if isinstance(node, ast.expr | ast.keyword)]

    assert len(written) > 1000
    for node in written:
        assert code_of(node) == ast.unparse(node)


def test_a_part_that_was_changed_is_written_anew() -> None:
    rate = ast.parse("rate(given) == {'a': wanted}", mode="eval").body
    assert code_of(rate) == "rate(given) == {'a': wanted}"
    values = {"given": ast.Constant(10), "wanted": ast.Constant(3)}

    assert code_of(product.write_out(rate, values)) == "rate(10) == {'a': 3}"
    assert code_of(rate) == ast.unparse(rate)
