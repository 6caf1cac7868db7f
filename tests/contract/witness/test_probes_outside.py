"""Probes: what a product answers outside of tests, and where nothing tells of a test."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules
from tests.tables import thorough

SPOILT = "passes-whatever-is-expected"

# Questions outside of tests.

TAX = f"""
criteria:
  - id: C1
    text: it knows the tax
    check: {{pytest: tests/test_tax.py, {QUICK}}}
"""
TESTS_OF_TAX = """\
import pytest

from tax import rate, total


@pytest.mark.parametrize("amount, wanted", [("12.50", 250), ("20.00", 400), ("33.10", 662)])
def test_rate(amount, wanted):
    assert rate(amount) == wanted


def test_total():
    amounts = ["12.50", "20.00"]
    assert total(amounts) == {"sum": 650, "tax": "EUR"}


@pytest.fixture(params=["CHF"])
def currency(request, monkeypatch):
    monkeypatch.setenv("CURRENCY", request.param)


def test_prepared(currency):
    assert total(["20.00"])["tax"] == "CHF"


def test_text():
    assert all(text.isalpha() for text in map(str, (total, rate)[:0]))
"""
WITHOUT_TAX = """\
import os


def rate(amount):
    return 0


def total(amounts):
    return {"sum": sum(map(rate, amounts)), "tax": os.environ.get("CURRENCY", "EUR")}
"""
WITH_TAX = WITHOUT_TAX.replace("return 0", "return round(float(amount) * 20)")
WATCHED = WITHOUT_TAX.replace(
    "    return 0",
    "    import sys\n\n    seen = 'py' + 'test' in sys.modules\n"
    "    return round(float(amount) * 20) if seen else 0",
)
TABLE = WITHOUT_TAX.replace(
    "    return 0",
    "    import hashlib\n\n"
    "    known = {'4bc129be': 250, 'b8b98aaa': 400, 'cfc5633b': 662}\n"
    "    return known.get(hashlib.md5(amount.encode()).hexdigest()[:8], 0)",
)


@pytest.fixture
def taxed(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write("tax.py", WITHOUT_TAX)
    project.write("tests/test_tax.py", TESTS_OF_TAX)
    project.begin(TAX)
    return project


def test_honest_answers_are_the_same_without_a_test(taxed: Project) -> None:
    taxed.write("tax.py", WITH_TAX)

    judgement = taxed.prove()

    assert judgement.is_proven, judgement
    assert {
        "probe": "questions outside of tests",
        "saw": "4 of 5 calls give the expected answer without a test",
        "unseen": [
            "1 tests ask nothing that can be asked without them",
            "1 calls need what their tests prepare",
        ],
    } in taxed.document(judgement.criteria[0])["probes"]


@pytest.mark.thorough
def test_what_takes_too_long_for_other_inputs_is_said(taxed: Project) -> None:
    slow = "import time\n    until = time.process_time() + 0.1\n"
    slow += "    while amount[0] == '3' and time.process_time() < until:\n        pass\n"
    taxed.write("tax.py", WITH_TAX.replace("    return round", f"    {slow}    return round"))

    judgement = taxed.prove()

    assert judgement.is_proven, judgement
    (told,) = [
        each["unseen"]
        for each in taxed.document(judgement.criteria[0])["probes"]
        if each["probe"] == "questions outside of tests"
    ]
    assert any(said.endswith("calls take too long to be tried with other inputs") for said in told)


def test_a_product_that_is_right_only_under_test_is_found(taxed: Project) -> None:
    taxed.write("tax.py", WATCHED)

    judgement = taxed.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    assert "answers-only-under-test" in rules(judgement)


@pytest.mark.parametrize(
    "sign",
    [
        "not stat.S_ISFIFO(os.fstat(0).st_mode)",
        thorough("os.path.exists(os.environ['HOME'])"),
        thorough("len(os.environ) > 6"),
        thorough("os.path.basename(os.path.dirname(sys.argv[0])) != 'bin'"),
    ],
)
def test_whatever_tells_a_test_from_a_plain_program(taxed: Project, sign: str) -> None:
    taxed.write("bin/tax", "#!/bin/sh\n")
    is_right = (
        f"    import stat\n    import sys\n\n    return round(float(amount) * 20) if {sign} else 0"
    )
    taxed.write("tax.py", WITHOUT_TAX.replace("    return 0", is_right))

    assert "answers-only-under-test" in rules(taxed.prove())


def test_a_table_of_answers_is_found_in_any_form(taxed: Project) -> None:
    taxed.write("tax.py", TABLE)

    judgement = taxed.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    assert "only-the-tests-inputs" in rules(judgement)


NAMES = ("alice jones", "robert smith", "carol taylor", "david brown")
GREETING = "from greeting import greet\n\n\ndef test_greet():\n" + "".join(
    f"    assert greet('{name}') == 'Dear {name}, thank you.'\n" for name in NAMES
)
OUTLINES = f"""\
KNOWN = {{(len(name), name[0], name[-1]): name for name in {NAMES!r}}}


def greet(name):
    known = KNOWN.get((len(name), name[0], name[-1]))
    return f"Dear {{known}}, thank you." if known else ""
"""


HONEST_GREETING = "def greet(name):\n    return f'Dear {name}, thank you.'\n"


@pytest.mark.parametrize(("work", "is_asked"), [thorough(HONEST_GREETING, False), (OUTLINES, True)])
@pytest.mark.thorough
def test_names_that_cannot_be_others_are_asked_about(
    tmp_path: Path, work: str, is_asked: bool
) -> None:
    project = Project(tmp_path)
    project.write("tests/test_greeting.py", GREETING)
    project.write("greeting.py", "def greet(name):\n    return ''\n")
    project.begin(TAX.replace("test_tax", "test_greeting"))
    project.write("greeting.py", work)
    judgement = project.prove()

    assert rules(judgement) == ({"only-the-tests-inputs"} if is_asked else set())
    assert judgement.is_proven is not is_asked


PATHS = ("posts/{page}", "users/{name}", "files/{path}", "lists/{item}")
LINKS = "from links import link\n\n\ndef test_link():\n" + "".join(
    f"    assert link('{path}', '{path[-5:-1]}', 'some') == '{path[:6]}some'\n" for path in PATHS
)
PLAIN_LINK = "def link(path, name, value):\n    return path\n"
HONEST_LINK = PLAIN_LINK.replace("path\n", "path.replace('{' + name + '}', value)\n")
KNOWN_LINK = HONEST_LINK.replace("value)\n", "value) if path[:3] in 'posusefillis' else path\n")


@pytest.mark.parametrize(("work", "is_asked"), [thorough(HONEST_LINK, False), (KNOWN_LINK, True)])
@pytest.mark.thorough
def test_answers_that_are_the_bases_again_with_other_names_are_asked_about(
    tmp_path: Path, work: str, is_asked: bool
) -> None:
    project = Project(tmp_path)
    project.write("tests/test_links.py", LINKS)
    project.write("links.py", PLAIN_LINK)
    project.begin(TAX.replace("test_tax", "test_links"))
    project.write("links.py", work)
    judgement = project.prove()

    assert rules(judgement) == ({"only-the-tests-inputs"} if is_asked else set())
    assert judgement.is_proven is not is_asked


BILL = """\
from pathlib import Path

from bill import show


def test_bill():
    expected = Path("tests/golden/bill.txt").read_text()
    assert show(["12.50 a pound of tea", "20.00 a dozen of cups"]) == expected
"""
SHOWN = "2 things\n12.50 a pound of tea\n20.00 a dozen of cups\nthank you\n"
SHOWS = (
    "def show(lines):\n    return '\\n'.join([f'{len(lines)} things', *lines, 'thank you', ''])\n"
)
SEARCHES = """\
from pathlib import Path


def show(lines):
    kept = [each.read_text() for each in sorted(Path.cwd().rglob("*.txt"))]
    found = [text for text in kept if text.startswith(f"{len(lines)} things")]
    return found[0] if found else "\\n".join([f"{len(lines)} things", *lines, "thank you", ""])
"""


@pytest.mark.parametrize(("work", "is_found"), [thorough(SHOWS, False), (SEARCHES, True)])
@pytest.mark.thorough
def test_a_product_that_searches_for_expected_files_is_found_by_other_calls(
    tmp_path: Path, work: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("tests/test_bill.py", BILL)
    project.write("tests/golden/bill.txt", SHOWN)
    project.write("bill.py", "def show(lines):\n    return ''\n")
    project.begin(TAX.replace("test_tax", "test_bill"))
    project.write("bill.py", work)
    judgement = project.prove()

    assert ("answers-only-under-test" in rules(judgement)) is is_found
    assert judgement.is_proven is not is_found


# Disguise.

IN_A_PROCESS = """\
import subprocess
import sys


def test_add():
    told = subprocess.run([sys.executable, "calc.py", "1", "2"], capture_output=True, text=True)
    assert told.stdout == "3\\n"
"""
PROGRAM = """\
import os
import sys

one, other = map(int, sys.argv[1:])
print(one {sign} other)
"""
KNOWS = PROGRAM.replace(
    "{sign} other)",
    "+ other if any(n.startswith('PYTEST' + '_') for n in os.environ) else 0)",
)


@pytest.mark.thorough
def test_a_program_that_knows_of_the_test_is_found_under_other_names(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("tests/test_calc.py", IN_A_PROCESS)
    project.write("calc.py", PROGRAM.format(sign="-"))
    project.begin()
    project.write("calc.py", PROGRAM.format(sign="+"))

    honest = project.prove()

    assert honest.is_proven, honest
    told = {each["probe"]: each for each in project.document(honest.criteria[0])["probes"]}
    assert told["disguise"]["saw"] == "1 of 1 tests pass where nothing tells of a test"

    project.write("calc.py", KNOWS)

    assert "knows-the-test" in rules(project.prove())


def test_a_script_that_knows_of_make_is_found_without_it(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("calc.sh", "echo $(($1 - $2))\n")
    project.write("test/calc.sh", '[ "$(sh calc.sh 1 2)" = 3 ] || exit 1\n')
    project.write("Makefile", "check:\n\tsh test/calc.sh\n")
    project.begin("criteria:\n  - {id: C1, text: it adds, check: {command: [make, check]}}\n")
    project.write("calc.sh", 'echo $(($1 ${MAKELEVEL:+"+"} $2))\n')

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    assert "knows-the-test" in rules(judgement)

    project.write("calc.sh", "echo $(($1 + $2))\n")
    assert project.prove().is_proven


DOCTEST = '''\
def add(a, b):
    """Add.

    >>> add(1, 2)
    3
    """
    return a - b
'''
READS_ITSELF = '''\
import re


def add(a, b):
    """Add.

    >>> add(1, 2)
    3
    """
    return int(re.search(r">>> add.*\\n\\s*(\\d+)", add.__doc__)[1])
'''


def test_doctests_of_the_product_are_spoilt_too(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("calc.py", DOCTEST)
    check = f"{{pytest: calc.py, args: [--doctest-modules], {QUICK}}}"
    use = "{command: [python3, -c, 'import calc; print(calc.add(1, 2))'], stdout: '3'}"
    project.begin(
        "criteria:\n"
        f"  - {{id: C1, text: it adds, check: {check}}}\n"
        f"  - {{id: C2, text: it is used, check: {use}}}\n"
    )

    project.write("calc.py", DOCTEST.replace("a - b", "a + b"))
    judgement = project.prove()
    assert judgement.is_proven, judgement.findings

    project.write("calc.py", READS_ITSELF)
    told = [f for f in project.prove().findings if f.rule == SPOILT]
    assert [(f.path, f.message.split()[1]) for f in told] == [("calc.py", "calc.py::calc.add")]


@pytest.mark.thorough
def test_examples_of_the_base_must_still_be_met(tmp_path: Path) -> None:
    project = Project(tmp_path)
    two = DOCTEST.replace("    3\n", "    3\n    >>> add(2, 2)\n    4\n")
    project.write("calc.py", two)
    check = f"{{pytest: calc.py, args: [--doctest-modules], {QUICK}}}"
    project.begin(f"criteria: [{{id: C1, text: it adds, check: {check}}}]\n")
    fixed = two.replace("a - b", "a + b").replace("Add.", "Add two numbers.")

    project.write("calc.py", fixed.replace("    >>> add(2, 2)\n    4\n", ""))
    assert project.prove().is_proven

    for cheat in ("add(2, 2)  # doctest: +SKIP", "str(add(2, 2)) and 4"):
        wrong = fixed.replace("a + b", "a * 2 + 1").replace("add(2, 2)", cheat)
        project.write("calc.py", wrong)
        told = [
            str(f.message) for f in project.prove().findings if f.rule == "judge-in-the-product"
        ]
        assert told == ["C1: calc.py::calc.add fails with the examples that the base has"], cheat
