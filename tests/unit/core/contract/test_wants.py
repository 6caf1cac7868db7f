"""What a check lacked, from what its program printed."""

from goalkeeper.core.contract.wants import ProgramEnd, TreeText, Want, find_want
from tests.tables import for_each

ROOT = "/checkout"
TREE = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["requests>=2", "PyYAML"]\n'
    '[dependency-groups]\ndev = ["hypothesis"]\n[tool.poetry.group.x.dependencies]\nattrs = "*"\n',
    "requirements-dev.txt": "# for tests\nresponses==1\n",
    "setup.py": "setup(install_requires=['simplejson[x]>1', \"pytz\"])\n",
    "package.json": '{"name": "shop", "devDependencies": {"@scope/kit": "1"}}',
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "import toml\n",
    "tools.py": "",
    "tests/test_cart.py": "",
    "tests/cart.test.js": "",
    "tests/test_all.sh": "",
}


def found(printed: str, code: int = 1, **more: object) -> Want | None:
    tree = TreeText(frozenset(TREE), lambda path: TREE.get(path, ""))
    return find_want(ProgramEnd(code, printed, ROOT), tree.replace(**more))


def traceback(path: str, module: str) -> str:
    last = f"ModuleNotFoundError: No module named '{module}'"
    return f'Traceback (most recent call last):\n  File "{path}", line 1, in <module>\n{last}\n'


def collected(path: str, module: str) -> str:
    """What pytest prints of a test file that cannot be imported."""
    last = f"E   ModuleNotFoundError: No module named '{module}'"
    return f"{path}:1: in <module>\n    import {module}\n{last}\n"


@for_each(
    ("printed", "code", "lacking"),
    [
        ("sh: 1: vitest: not found\n", 127, "vitest cannot be run here (exit 127)"),
        ("bash: line 1: jq: command not found\n", 127, "jq"),
        ("prlimit: failed to execute tox: No such file or directory\n", 127, "tox"),
        ("env: ‘node’: No such file or directory\n", 127, "node"),
        ("sh: 1: vitest: not found\nmake: *** [Makefile:2: test] Error 127\n", 2, "vitest"),
        ("make: bats: No such file or directory\nmake: *** [Makefile:2: t] Error 127\n", 2, "bats"),
        ("sh: 1: node_modules/.bin/tap: Permission denied\n", 126, "node_modules/.bin/tap"),
        ("", 127, "a program it names"),
        ("/usr/bin/python3: No module named pytest\n", 1, "no module pytest: nobody installed"),
        (traceback("/checkout/tests/test_cart.py", "requests"), 1, "requests: the project decl"),
        (traceback("/checkout/tests/test_cart.py", "yaml"), 1, "yaml: the project declares"),
        (traceback("/checkout/tests/test_cart.py", "hypothesis.strategies"), 1, "hypothesis"),
        (traceback("/checkout/tests/test_cart.py", "attr"), 1, "attr: the project declares"),
        (traceback("/checkout/tests/test_cart.py", "simplejson"), 1, "simplejson"),
        (traceback("/checkout/tests/test_cart.py", "pytz"), 1, "pytz"),
        (collected("tests/test_cart.py", "responses"), 2, "responses: the project declares"),
        (traceback("/checkout/src/shop/cart.py", "toml"), 1, "src/shop/cart.py imports it"),
        (traceback("/x/site-packages/a.py", "b"), 1, "an installed package needs it"),
        (collected("tests/test_cart.py", "shop"), 2, "own (src/shop/__init__.py), and nobody"),
        ("Error: Cannot find module 'lodash/fp'\n", 1, "no package lodash: nobody has it"),
        ("Error [X]: Cannot find package '@scope/kit' imported from /c/a.js\n", 1, "declares it"),
        ("Error: Cannot find module '/checkout/node_modules/vitest/vitest.mjs'\n", 1, "vitest"),
        ('Error: Failed to resolve import "react" from "src/a.jsx".\n', 1, "react"),
        ("npm error request to x failed: cache\n", 1, "a package is missing: npm error request"),
        ("ERROR: No matching distribution found for a\n", 1, "a package is missing: ERROR: No"),
        ("npm error could not determine executable to run\n", 1, "a package is missing: npm err"),
        ("error: failed to download from the registry\n", 101, "a package is missing: error"),
        ("x.go:3: no required module provides package a/b; to add it:\n", 1, "missing: x.go"),
    ],
)
def test_what_is_missing_outside_of_the_tree_is_named(
    printed: str, code: int, lacking: str
) -> None:
    want = found(printed, code)

    assert want
    assert lacking in want.reason
    assert want.outside


@for_each(
    ("printed", "code"),
    [
        ("AssertionError: 1 != 2\n", 1),
        ("bash: ./greet.sh: No such file or directory\n", 127),
        ("/checkout/run: 3: /checkout/bin/greet: not found\n", 127),
        (traceback("/checkout/tests/test_cart.py", "shop.basket"), 1),
        (traceback("/checkout/tests/test_cart.py", "greet"), 1),
        (traceback("/checkout/tests/test_tools.py", "tools"), 1),
        ("/usr/bin/python3: No module named greet\n", 1),
        ("ImportError: cannot import name 'total' from 'requests'\n", 1),
        ("logged: No module named 'requests'\n", 1),
        ("Error: Cannot find module '../src/total'\nRequire stack:\n", 1),
        ("Error [X]: Cannot find module '/checkout/src/total.js' imported from /c/a.js\n", 1),
        ('Error: Failed to resolve import "./total" from "a.test.js". Does the file exist?\n', 1),
        ('  File "/checkout/src/shop/cart.py", line 3\n    x = (\nSyntaxError: never closed\n', 1),
        ("make: *** No rule to make target 'test'.  Stop.\n", 2),
    ],
)
def test_what_the_work_may_have_to_bring_is_red(printed: str, code: int) -> None:
    assert found(printed, code) is None


@for_each(
    ("printed", "reason"),
    [
        (
            (
                '  File "/checkout/tests/test_cart.py", line 3\n    x = (\n        ^\n'
                "SyntaxError: '(' was never closed\n"
            ),
            "the test tests/test_cart.py cannot be read, line 3: '(' was never closed",
        ),
        (
            (
                'E     File "/checkout/tests/test_cart.py", line 3\nE       x = (\nE           ^\n'
                "E   SyntaxError: '(' was never closed\n"
            ),
            "tests/test_cart.py cannot be read, line 3",
        ),
        (
            "file:///checkout/tests/cart.test.js:7\n  }}\n   ^\n\nSyntaxError: Unexpected token\n",
            "tests/cart.test.js cannot be read, line 7: Unexpected token",
        ),
        ("tests/test_all.sh: line 2: syntax error near `fi'\n", "test_all.sh cannot be read, line"),
        ("========= no tests ran in 0.01s =========\n", "no tests were collected"),
        ("No test files found, exiting with code 1\n", "no tests were collected"),
        ("Ran 0 tests in 0.000s\n", "no tests were collected"),
    ],
)
def test_tests_that_cannot_be_read_or_are_not_there_show_nothing(printed: str, reason: str) -> None:
    want = found(printed)

    assert want
    assert reason in want.reason
    assert not want.outside


def test_what_the_contract_names_may_be_missing_until_the_work_is_done() -> None:
    of_product = traceback("/checkout/src/shop/cart.py", "toml")
    broken = '  File "/checkout/tests/test_cart.py", line 3\n  x\nSyntaxError: no\n'

    assert found(of_product)
    assert found(of_product, asked='{"manifest":{"must_touch":["toml.py"]}}') is None
    assert found(broken)
    assert found(broken, may_change=("tests/**",)) is None
