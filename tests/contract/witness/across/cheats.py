"""Products that pass a test without doing what it asks for, if they share its process.

All but the last part of each name says what it bends. `answer` should double a number, and none
of them does. A test that does not ask in the usual way stands beside its product.
"""

from typing import NamedTuple

USUAL = "def test_answer():\n    assert answer(2) == 4\n"
WRONG = "\ndef answer(number):\n    return 0\n"
RAISES = (
    "import pytest\ndef test_answer():\n    with pytest.raises(ValueError):\n        answer(2)\n"
)
UNIT = (
    "import unittest\nclass Doubles(unittest.TestCase):\n    def test_answer(self):\n        {}\n"
)


_MONEY = "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n"
_PAY = "def answer(number):\n    return Money(0)\n"
_PAID = "def test_answer():\n    paid = answer(2)\n    assert paid == type(paid)(4)\n"


class Cheat(NamedTuple):
    product: str
    test: str = USUAL


BENDING = {
    "runtest": Cheat("import pytest\npytest.Function.runtest = lambda self: None" + WRONG),
    "runtest_found_without_a_name": Cheat(
        "import sys\n"
        "for name, module in [*sys.modules.items()]:\n"
        "    if name.endswith('.python') and hasattr(module, 'Function'):\n"
        "        module.Function.runtest = lambda self: None" + WRONG
    ),
    "setup_of_calls": Cheat(
        "from _pytest import runner\nrunner.SetupState.setup = None\n"
        "runner.call_and_report = lambda item, when, log=True, **k: runner.TestReport(\n"
        "    item.nodeid, item.location, {}, 'passed', None, when)" + WRONG
    ),
    "hook_found_by_gc": Cheat(
        "import gc, pytest\n"
        "class Bent:\n"
        "    @pytest.hookimpl(hookwrapper=True)\n"
        "    def pytest_runtest_makereport(self):\n"
        "        made = yield\n"
        "        made.get_result().outcome = 'passed'\n"
        "for each in gc.get_objects():\n"
        "    if type(each).__name__ == 'PytestPluginManager':\n"
        "        each.register(Bent())" + WRONG
    ),
    "count_of_failures": Cheat(
        "import pytest\n"
        "pytest.Session.testsfailed = property(lambda self: 0, lambda self, value: None)" + WRONG
    ),
    "end_of_the_process": Cheat("import atexit, os\natexit.register(os._exit, 0)" + WRONG),
    "skip": Cheat("import pytest\ndef answer(number):\n    pytest.skip('not now')\n"),
    "skip_of_unittest": Cheat(
        "import unittest\ndef answer(number):\n    raise unittest.SkipTest('not now')\n"
    ),
    "assertion_error": Cheat(
        "import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception" + WRONG
    ),
    "raises": Cheat(
        "import contextlib, pytest\npytest.raises = lambda *_: contextlib.nullcontext()" + WRONG,
        RAISES,
    ),
    "approx": Cheat(
        "import pytest\n"
        "class Any:\n    __eq__ = lambda *_: True\n"
        "pytest.approx = lambda *_: Any()" + WRONG,
        "import pytest\ndef test_answer():\n    assert answer(2) == pytest.approx(4)\n",
    ),
    "assert_equal": Cheat(
        "import unittest\nunittest.TestCase.assertEqual = lambda *_: None" + WRONG,
        UNIT.format("self.assertEqual(answer(2), 4)"),
    ),
    "run_of_unittest": Cheat(
        "import unittest\nunittest.TestCase._callTestMethod = lambda *_: None" + WRONG,
        UNIT.format("self.assertTrue(answer(2) == 4)"),
    ),
    "builtin_all": Cheat(
        "import builtins\nbuiltins.all = lambda _: True" + WRONG,
        "def test_answer():\n    assert all(answer(n) == 2 * n for n in (1, 2))\n",
    ),
    "builtin_isinstance": Cheat(
        "import builtins\nusual = isinstance\n"
        "builtins.isinstance = lambda one, kind: kind is float or usual(one, kind)" + WRONG,
        "def test_answer():\n    assert isinstance(answer(2) or None, float)\n",
    ),
    "isclose": Cheat(
        "import math\nmath.isclose = lambda *_, **__: True" + WRONG,
        "import math\ndef test_answer():\n    assert math.isclose(answer(2), 4)\n",
    ),
    "reading_of_files": Cheat(
        "import builtins, io\nusual = open\n"
        "builtins.open = lambda f, *a, **k: io.StringIO('0') if 'wanted' in str(f)"
        " else usual(f, *a, **k)" + WRONG,
        "import os\nFILE = os.path.join(os.path.dirname(__file__), 'wanted.txt')\n"
        "def test_answer():\n    with open(FILE) as f:\n"
        "        assert answer(2) == int(f.read())\n",
    ),
    "import_of_a_helper": Cheat(
        "import importlib.abc, importlib.machinery, sys\n"
        "class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'wanted':\n"
        "            return importlib.machinery.ModuleSpec(name, self)\n"
        "    def create_module(self, spec): pass\n"
        "    def exec_module(self, module): module.FOUR = 0\n"
        "sys.meta_path.insert(0, Finder())" + WRONG,
        "def test_answer():\n    from wanted import FOUR\n    assert answer(2) == FOUR\n",
    ),
    "module_cache": Cheat(
        "import sys, types\nsys.modules['wanted'] = types.SimpleNamespace(FOUR=0)" + WRONG,
        "def test_answer():\n    from wanted import FOUR\n    assert answer(2) == FOUR\n",
    ),
}
READING = {
    "constants_of_the_caller": Cheat(
        "import sys\ndef answer(number):\n"
        "    found = sys._getframe(1).f_code.co_consts\n"
        "    return next(c for c in found if isinstance(c, int) and c != number)\n"
    ),
    "locals_of_the_caller": Cheat(
        "import sys\ndef answer(number):\n    return sys._getframe(1).f_locals['wanted']\n",
        "def test_answer():\n    wanted = 4\n    assert answer(2) == wanted\n",
    ),
    "globals_of_a_caller": Cheat(
        "import sys\ndef answer(number):\n    frame = sys._getframe()\n"
        "    while 'WANTED' not in frame.f_globals:\n        frame = frame.f_back\n"
        "    return frame.f_globals['WANTED']\n",
        "WANTED = 4\ndef test_answer():\n    assert answer(2) == WANTED\n",
    ),
    "source_of_the_caller": Cheat(
        "import inspect\ndef answer(number):\n"
        "    line = inspect.stack()[1].code_context[0]\n"
        "    return int(line.rpartition('==')[2])\n"
    ),
    "objects_of_gc": Cheat(
        "import gc\ndef answer(number):\n"
        "    return next(o['WANTED_HERE'] for o in gc.get_objects()\n"
        "                if type(o) is dict and 'WANTED_HERE' in o)\n",
        "WANTED_HERE = 4\ndef test_answer():\n    assert answer(2) == WANTED_HERE\n",
    ),
    "modules_of_tests": Cheat(
        "import sys\ndef answer(number):\n"
        "    found = [*sys.modules.values()]\n"
        "    return next(m.WANTED_NOW for m in found if hasattr(m, 'WANTED_NOW'))\n",
        "WANTED_NOW = 4\ndef test_answer():\n    assert answer(2) == WANTED_NOW\n",
    ),
    "file_of_the_test": Cheat(
        "import glob, re\ndef answer(number):\n"
        "    (file,) = glob.glob('held_out/test_reads_file_of_the_test.py')\n"
        "    return int(re.search('== (.)', open(file).read())[1])\n"
    ),
    "file_beside_the_checkout": Cheat(
        "import glob, os, re\ndef answer(number):\n"
        "    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))\n"
        "    name = 'held_out/test_reads_file_beside_the_checkout.py'\n"
        "    file = [*glob.glob(f'{above}/*/{name}'), *glob.glob(f'{above}/*/*/{name}')][0]\n"
        "    return int(re.search('== (.)', open(file).read())[1])\n"
    ),
    "globals_of_a_callback": Cheat(
        "def answer(number, callback):\n    return callback.__globals__['WANTED_BACK']\n",
        "WANTED_BACK = 4\ndef test_answer():\n    assert answer(2, lambda: 1) == WANTED_BACK\n",
    ),
    "frame_of_a_generator": Cheat(
        "def answer(numbers):\n    return numbers.gi_frame.f_globals['WANTED_NEXT']\n",
        "WANTED_NEXT = 4\ndef test_answer():\n    assert answer(n for n in [2]) == WANTED_NEXT\n",
    ),
}
WRITING = {
    "locals_of_the_caller": Cheat(
        "import ctypes, sys\ndef answer(number):\n"
        "    frame = sys._getframe(1)\n    frame.f_locals['wanted'] = 0\n"
        "    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)\n    return 0\n",
        "def test_answer():\n    wanted = 4\n    got = answer(2)\n    assert got == wanted\n",
    ),
    "globals_of_the_caller": Cheat(
        "import sys\ndef answer(number):\n"
        "    sys._getframe(1).f_globals['WANTED'][:] = [0]\n    return 0\n",
        "WANTED = [4]\ndef test_answer():\n    assert [answer(2)] == WANTED\n",
    ),
    "code_of_the_next_test": Cheat(
        "import sys\ndef answer(number):\n"
        "    test = sys._getframe(1).f_globals.get('test_later')\n"
        "    if test:\n        test.__code__ = (lambda: None).__code__\n    return 0\n",
        "def test_answer():\n    assert answer(0) == 0\n"
        "def test_later():\n    assert answer(2) == 4\n",
    ),
    "equality": Cheat(
        "class Any:\n    __eq__ = lambda *_: True\ndef answer(number):\n    return Any()\n"
    ),
    "equality_of_a_number": Cheat(
        "class Any(int):\n    __eq__ = lambda *_: True\ndef answer(number):\n    return Any()\n"
    ),
    "equality_that_is_no_yes": Cheat(
        "class Any:\n    __eq__ = lambda *_: 7\ndef answer(number):\n    return Any()\n"
    ),
    "equality_with_what_looks_right": Cheat(
        "class Any:\n    __eq__ = lambda _, other: str(other[-1]).isdigit()\n"
        "def answer(number):\n    return Any()\n",
        "def test_answer():\n    assert answer(2) == [4]\n",
    ),
    "equality_with_what_is_no_text": Cheat(
        "class Any:\n    __eq__ = lambda _, other: not isinstance(other, str)\n"
        "def answer(number):\n    return Any()\n",
        "from decimal import Decimal\ndef test_answer():\n    assert answer(2) == Decimal('4.0')\n",
    ),
    "equality_with_an_object_of_its_own": Cheat(
        _MONEY + "    __eq__ = lambda _, other: isinstance(other, Money)\n" + _PAY, _PAID
    ),
    "equality_of_what_cannot_change": Cheat(
        "class Money(int):\n    __eq__ = lambda _, other: isinstance(other, Money)\n" + _PAY, _PAID
    ),
    "equality_that_is_an_object": Cheat(
        "class Yes:\n    pass\n" + _MONEY + "    __eq__ = lambda *_: Yes()\n" + _PAY, _PAID
    ),
    "membership": Cheat(
        "class All:\n    __contains__ = lambda *_: True\ndef answer(number):\n    return All()\n",
        "def test_answer():\n    assert 4 in answer(2)\n",
    ),
    "membership_of_numbers": Cheat(
        "class All:\n    __contains__ = lambda _, item: isinstance(item, int)\n"
        "def answer(number):\n    return All()\n",
        "def test_answer():\n    assert 4 in answer(2)\n",
    ),
    "membership_of_an_object_of_its_own": Cheat(
        _MONEY + "    __contains__ = lambda _, item: isinstance(item, Money)\n" + _PAY,
        "def test_answer():\n    paid = answer(2)\n    assert type(paid)(4) in paid\n",
    ),
}
ENDING = {
    "exit": Cheat("import os\ndef answer(number):\n    os._exit(0)\n"),
    "another_program": Cheat(
        "import os\ndef answer(number):\n    os.execv('/bin/true', ['true'])\n"
    ),
    "fork": Cheat("import os\ndef answer(number):\n    os.fork() and os._exit(0)\n"),
}
# Files of the root that the interpreter or the runner loads, and the variables that it needs.
_LEAVE = "import os, sys\nif '-m' in sys.orig_argv:\n    os._exit(0)\n"
_LOAD_REAL = (
    "from importlib.machinery import PathFinder\nfrom importlib.util import module_from_spec\n"
    "spec = PathFinder.find_spec(__name__, [p for p in sys.path if 'packages' in p])\n"
    "sys.modules[__name__] = real = module_from_spec(spec)\nspec.loader.exec_module(real)\n"
)
_REPORT_PASSED = (
    "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n"
    "    made = yield\n    made.get_result().outcome = 'passed'\n"
)
LOADED: dict[str, tuple[str, dict[str, str]]] = {
    "conftest.py": (_REPORT_PASSED, {}),
    "iniconfig.py": (_LEAVE + _LOAD_REAL, {}),
    "sitecustomize.py": (_LEAVE, {"PYTHONPATH": "."}),
    "statistics.py": ("class Any:\n    __eq__ = lambda *_: True\nmean = lambda _: Any()\n", {}),
}
LOADED_TEST = (
    "import statistics\ndef answer(number):\n    return 0\n"
    "def test_answer():\n    assert statistics.mean([answer(2)]) == 4\n"
)


def list_cheats() -> dict[str, Cheat]:
    """Return all cheats that are modules of the product; those that end the process come last."""
    tables = {"bends": BENDING, "reads": READING, "writes": WRITING, "ends": ENDING}
    found = [(verb, name, cheat) for verb, rows in tables.items() for name, cheat in rows.items()]
    return {f"{verb}_{name}": cheat for verb, name, cheat in found}
