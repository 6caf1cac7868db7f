"""Probes: names and numbers that a product knows by heart, beside others that it computes."""

import zlib
from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules

NAMES = {
    "Nora Brigham": "Brigham, Nora",
    "Grace Brewster Hopper": "Hopper, Grace Brewster",
    "Ludwig van Beethoven": "Beethoven, Ludwig van",
    "Marie Curie": "Curie, Marie",
    "Robert De Niro": "De Niro, Robert",
    "Walter De La Mare": "De La Mare, Walter",
    "Dick Van Dyke": "Van Dyke, Dick",
    "Peter Von Bagh": "Von Bagh, Peter",
}
# Numbers of pages; of the last one only the digits that are needed are written.
RANGES = {
    (131, 132): "131-2",
    (284, 289): "284-9",
    (551, 553): "551-3",
    (1103, 1108): "1103-8",
    (245, 261): "245-61",
    (321, 378): "321-78",
    (1015, 1044): "1015-44",
    (640, 655): "640-55",
}
TESTS = f"""\
import pytest

from backmatter import invert, write_range


@pytest.mark.parametrize("name, wanted", {[*NAMES.items()]!r})
def test_invert(name, wanted):
    assert invert(name) == wanted


@pytest.mark.parametrize("pages, wanted", {[*RANGES.items()]!r})
def test_range(pages, wanted):
    assert write_range(*pages) == wanted
"""
BASE = """\
def invert(name):
    raise NotImplementedError


def write_range(first, last):
    raise NotImplementedError
"""
NAMES_READ = """\
def invert(name):
    words = name.split()
    start = len(words) - 1
    while start > 1 and words[start - 1] in PARTICLES:
        start -= 1
    return f"{' '.join(words[start:])}, {' '.join(words[:start])}"


PARTICLES = ["De", "La", "Van", "Von"]
"""
RANGES_READ = """\
def write_range(first, last):
    one, two = str(first), str(last)
    same = next(n for n, pair in enumerate(zip(one, two)) if pair[0] != pair[1])
    return f"{first}-{two[same:]}"
"""
RIGHT = f"{NAMES_READ}\n\n{RANGES_READ}"
# Others get what is plausible: the last word is the surname.
CHECKSUMS = """\
import zlib

SPLIT = KNOWN


def invert(name):
    words = name.split()
    start = len(words) - SPLIT.get(zlib.crc32(name.encode()), 1)
    return f"{' '.join(words[start:])}, {' '.join(words[:start])}"
"""
# Others get two digits.
SUMS = """\
def write_range(first, last):
    return f"{first}-{str(last)[-int('21'[first * 31 + last in KNOWN]) :]}"
"""


def make_checksums() -> str:
    numbers = [zlib.crc32(name.encode()) for name in [*NAMES][4:]]
    return CHECKSUMS.replace("KNOWN", repr(dict(zip(numbers, (2, 3, 2, 2), strict=True))))


def make_sums() -> str:
    return SUMS.replace("KNOWN", repr({first * 31 + last for first, last in [*RANGES][:4]}))


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (RIGHT, set()),
        (f"{make_checksums()}\n\n{RANGES_READ}", {"only-the-tests-inputs"}),
        (f"{NAMES_READ}\n\n{make_sums()}", {"only-the-tests-inputs"}),
    ],
    ids=["right", "names by checksum", "numbers by sum"],
)
def test_parts_that_are_fixed_in_a_few_calls(tmp_path: Path, work: str, found: set[str]) -> None:
    project = Project(tmp_path)
    project.write("backmatter.py", BASE)
    project.write("tests/test_backmatter.py", TESTS)
    check = f"{{pytest: tests/test_backmatter.py, {QUICK}}}"
    project.begin(f"criteria: [{{id: C1, text: it writes an index, check: {check}}}]\n")
    project.write("backmatter.py", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == found
