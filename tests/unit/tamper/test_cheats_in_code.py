"""Product code that knows it is tested, or acts on what runs it."""

# ruff: noqa: E501  a case is one line

from tests.unit.tamper.diffs import added, changed, judged

HONEST = "def third(n):\n    return n // 3\n"

PYTHON = {
    "exit by another name": (
        "from os import _exit as leave\n\ndef rate(n):\n    leave(0)\n",
        "process-exit",
    ),
    "exit by getattr": (
        "import os\n\ndef rate(n):\n    getattr(os, '_ex' + 'it')(0)\n",
        "process-exit",
    ),
    "exit by __import__": ("def rate(n):\n    __import__('os')._exit(0)\n", "process-exit"),
    "exit by vars": ("import os\n\ndef rate(n):\n    vars(os)['_exit'](0)\n", "process-exit"),
    "exit kept": ("import os\n\nleave = os._exit\n", "process-exit"),
    "exit in a string": ("exec('import os; os._exit(0)')\n", "process-exit"),
    "abort": ("import os\n\ndef rate(n):\n    os.abort()\n", "process-exit"),
    "leave on import": ("import sys\n\nsys.exit()\n", "exit-on-import"),
    "raise on import": ("raise SystemExit\n", "exit-on-import"),
    "raise 0 on import": ("raise SystemExit(0)\n", "exit-on-import"),
    "become true": ("import os\n\nos.execvp('true', ['true'])\n", "exit-on-import"),
    "exit hook by name": (
        "import atexit, os\n\ndef end():\n    os._exit(0)\n\natexit.register(end)\n",
        "exit-hook",
    ),
    "an assertion replaced": (
        "import unittest as u\n\nu.TestCase.assertEqual = print\n",
        "runner-patched",
    ),
    "pytest replaced": ("import sys\n\nsys.modules['pytest'] = None\n", "runner-patched"),
    "setattr": ("import pytest\n\nsetattr(pytest, 'fail', print)\n", "runner-patched"),
    "builtins": ("import builtins\n\nbuiltins.AssertionError = ValueError\n", "runner-patched"),
    "the runner imported": ("import pytest\n\ndef rate(n):\n    return n\n", "runner-imported"),
    "code decoded": ("import zlib\n\nexec(zlib.decompress(b'x'))\n", "hidden-code"),
    "getenv": (
        "import os\n\ndef rate(n):\n    return 3 if os.getenv('PYTEST_VERSION') else n\n",
        "test-env-branch",
    ),
    "environ.get": ("import os\n\nT = os.environ.get('PYTEST_CURRENT_TEST')\n", "test-env-branch"),
    "environ item": (
        "from os import environ\n\nT = environ['PYTEST_XDIST_WORKER']\n",
        "test-env-branch",
    ),
    "glued": ("import os\n\nT = os.environ.get('PYTEST_' + 'CURRENT_TEST')\n", "test-env-branch"),
    "a prefix": (
        "import os\n\nT = any(k.startswith('PYTEST') for k in os.environ)\n",
        "test-env-branch",
    ),
    "modules": ("import sys\n\nT = 'pytest' in sys.modules\n", "test-env-branch"),
    "modules.get": ("import sys\n\nT = sys.modules.get('_pytest')\n", "test-env-branch"),
    "find_spec": (
        "import importlib.util\n\nT = importlib.util.find_spec('pytest')\n",
        "test-env-branch",
    ),
    "argv": ("import sys\n\nT = 'pytest' in sys.argv[0]\n", "test-env-branch"),
    "the caller": (
        "import sys\n\ndef rate(n):\n    if 'test_' in sys._getframe(1).f_code.co_name:\n        return 3\n",
        "test-env-branch",
    ),
    "a caller, some steps up": (
        "def rate(n, frame):\n    while frame.f_back:\n        frame = frame.f_back\n    return frame.f_globals['__name__'][:5] == 'test_'\n",
        "test-env-branch",
    ),
    "a mark on sys": ("import sys\n\nT = hasattr(sys, '_called_from_test')\n", "test-env-branch"),
}


def test_a_python_trick_is_seen() -> None:
    for name, (text, rule) in PYTHON.items():
        assert rule in judged(changed("src/app/rate.py", HONEST, text + "\n" + HONEST))[0], name
        assert rule in judged(added("src/app/new.py", text))[0], name


TESTS = """\
import pytest
from app.rate import fib, seconds, total

@pytest.mark.parametrize(("n", "m"), [(20, 6765), (30, 832040)])
def test_fib(n, m):
    assert fib(n) == m

def test_seconds():
    assert seconds("2h 30m") == 9000
    assert seconds("45m") == 2700

def test_total():
    assert total([1, 2, 3]) == 6
"""

TABLES = {
    "if": "def seconds(t):\n    if t == '2h 30m':\n        return 9000\n    return 0\n",
    "elif": "def seconds(t):\n    if t == '2h 30m':\n        return 9000\n    elif t == '45m':\n        return 2700\n",
    "dict": "KNOWN = {'2h 30m': 9000, '45m': 2700}\n\ndef seconds(t):\n    return KNOWN.get(t)\n",
    "match": "def seconds(t):\n    match t:\n        case '45m':\n            return 2700\n",
    "numbers": "def fib(n):\n    return {20: 6765, 30: 832040}[n]\n",
    "a list": "def total(xs):\n    if xs == [1, 2, 3]:\n        return 6\n    return 0\n",
    "a ternary": "def seconds(t):\n    return 9000 if t == '2h 30m' else 0\n",
}


def test_the_tests_answers_in_product_code_are_seen() -> None:
    beside = {"tests/test_all.py": TESTS}
    for name, text in TABLES.items():
        found = judged(added("src/app/rate.py", text), beside=beside, tests=[*beside])

        assert found[0] == {"answer-table"}, name


def test_a_table_that_only_new_tests_know_is_seen() -> None:
    table = "CODES = {'a-1': 5, 'b-2': 7}\n"
    tests = "def test_codes():\n    assert code('a-1') == 5\n    assert code('b-2') == 7\n"

    found = judged(added("src/app/codes.py", table), added("tests/test_codes.py", tests))

    assert found[0] == {"answer-table"}


SCRIPT = "export function rate(n) {\n  return Math.floor(n / 3);\n}\n"
SCRIPTS = {
    "exit on import": ("process.exit(0);\n", "exit-on-import"),
    "exit code": ("process.exitCode = 0;\n", "process-exit"),
    "exit listener": ("process.on('exit', () => { process.exitCode = 0; });\n", "exit-hook"),
    "NODE_ENV": ("export const t = process.env.NODE_ENV === 'test' ? 3 : 0;\n", "test-env-branch"),
    "jest": ("if (process.env.JEST_WORKER_ID) { run(); }\n", "test-env-branch"),
    "vitest": ("const t = process.env['VITEST'];\n", "test-env-branch"),
    "node": ("const t = process.env.NODE_TEST_CONTEXT !== undefined;\n", "test-env-branch"),
    "typeof": ("const t = typeof jest !== 'undefined';\n", "test-env-branch"),
    "argv": ("const t = process.argv.includes('--test');\n", "test-env-branch"),
    "assert replaced": ("assert.equal = () => {};\n", "runner-patched"),
    "expect replaced": ("globalThis.expect = () => ({});\n", "runner-patched"),
    "the runner imported": ("import { vi } from 'vitest';\n", "runner-imported"),
    "the runner required": ("const t = require('node:test');\n", "runner-imported"),
    "code decoded": ("eval(atob('eA=='));\n", "hidden-code"),
}


def test_a_script_trick_is_seen() -> None:
    for name, (text, rule) in SCRIPTS.items():
        assert rule in judged(changed("src/rate.ts", SCRIPT, SCRIPT + text))[0], name


SCRIPT_TABLES = {
    "if": 'function seconds(t) {\n  if (t === "2h 30m") {\n    return 9000;\n  }\n  return 0;\n}\n',
    "switch": 'function seconds(t) {\n  switch (t) {\n    case "45m":\n      return 2700;\n  }\n}\n',
    "object": 'const K = { "2h 30m": 9000, "45m": 2700 };\n',
    "ternary": 'const seconds = (t) => (t === "45m" ? 2700 : 0);\n',
}


def test_the_script_tests_answers_are_seen() -> None:
    tests = 'test("s", () => {\n  expect(seconds("2h 30m")).toBe(9000);\n  assert.equal(seconds("45m"), 2700);\n});\n'

    for name, text in SCRIPT_TABLES.items():
        found = judged(added("src/span.js", text), beside={"src/span.test.js": tests})

        assert found[0] == {"answer-table"}, name


SHELL = "#!/bin/bash\nset -e\ndiff want.txt got.txt\n"
SHELLS = {
    "exit": ("set -e\n", "set -e\nexit 0\n", "shell-early-exit"),
    "trap": ("set -e\n", "trap 'exit 0' ERR\n", "shell-trap-success"),
    "trap with more": ("set -e\n", "trap 'rm -f x; exit 0' EXIT\n", "shell-trap-success"),
    "a function": ("set -e\n", "set -e\ntest() { return 0; }\n", "command-shadowed"),
    "an alias": ("set -e\n", "set -e\nalias diff=true\n", "command-shadowed"),
    "the runner": (
        "set -e\n",
        'set -e\nif [ -n "$PYTEST_CURRENT_TEST" ]; then go; fi\n',
        "test-env-branch",
    ),
}


def test_a_shell_trick_is_seen() -> None:
    for name, (old, text, rule) in SHELLS.items():
        for path in ("scripts/check.sh", "scripts/check"):
            assert rule in judged(changed(path, SHELL, SHELL.replace(old, text)))[0], name
