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
    "code decoded, spaced": ("eval (atob('eA=='));\n", "hidden-code"),
    "typeof, spaced": ("const t = typeof  expect === 'function';\n", "test-env-branch"),
    "stack": ("const t = new Error().stack?.includes('spec');\n", "test-env-branch"),
    "mode": ("const t = import.meta.env.MODE === 'test';\n", "test-env-branch"),
    "argv searched": ("const t = argv.find((a) => a === 'jest') === 'jest';\n", "test-env-branch"),
    "maybe a process": ("process?.abort();\n", "process-exit"),
    "one global name": (
        "Object.defineProperty(\n  globalThis,\n  'expect',\n  {},\n);\n",
        "runner-patched",
    ),
    "a member of the window": ("window.it = () => {};\n", "runner-patched"),
    "an index of expect": ("expect['extend'] = () => {};\n", "runner-patched"),
    "a prototype": ("chai.Assertion.prototype.equal = () => {};\n", "runner-patched"),
    "sameness": ("Object.is = () => true;\n", "runner-patched"),
    "loading": ("Module._load = () => ({});\n", "runner-patched"),
    "what was loaded": ("require.cache['a'] = {};\n", "runner-patched"),
}


def test_a_script_trick_is_seen() -> None:
    for name, (text, rule) in SCRIPTS.items():
        assert rule in judged(changed("src/rate.ts", SCRIPT, SCRIPT + text))[0], name


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
