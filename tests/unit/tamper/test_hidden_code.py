"""Python that runs what a reader of the source does not see."""

from tests.unit.tamper.diffs import added, judged

HIDING = {
    "from a data file": 'exec(open("data.txt").read())\n',
    "from a path": 'exec(Path("data.txt").read_text())\n',
    "decoded": "exec(zlib.decompress(BLOB))\n",
    "by C": "import ctypes\n\nctypes.CDLL(None).exit(0)\n",
    "through the runner's module": 'case = sys.modules["unittest"].TestCase\n',
    "in an odd encoding": "# -*- coding: utf-7 -*-\nos.+AF8-exit(0)\n",
}

HONEST = {
    "an encoding that says what is written": "# -*- coding: utf-8 -*-\nNAME = 'x'\n",
    "a library of C's": 'LIB = ctypes.CDLL("libm.so.6")\nprint(LIB.floor(1))\n',
    "a word about encodings": "NAME = 'x'\n\n# the coding: of a film\n",
    "a module of its own": 'sys.modules["mine"]\n',
}


def test_code_that_hides_what_it_runs_is_blocked() -> None:
    for how, text in HIDING.items():
        assert "hidden-code" in judged(added("src/app.py", text))[0], how


def test_honest_code_hides_nothing() -> None:
    for what, text in HONEST.items():
        blocking, advisory = judged(added("src/app.py", text))

        assert "hidden-code" not in blocking | advisory, what
