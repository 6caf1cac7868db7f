"""Probes: what counts, parses or turns lists has answers of its own for other inputs."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, knows_only_the_tests_inputs
from tests.tables import thorough

CHECK = f"{{pytest: tests/test_cart.py, {QUICK}}}"
CONTRACT = f"criteria: [{{id: C1, text: it works, check: {CHECK}}}]\n"
ROTATED = """\
from cart import rotate


def test_rotates():
    assert rotate([1, 2, 3], 1) == [2, 3, 1]
    assert rotate([], 1) == []
"""
QUERY = """\
from cart import parse


def test_parses():
    assert parse("?who=ann+lee&where=home") == {"who": "ann lee", "where": "home"}
"""
NO_PLUS = """\
def parse(text):
    return dict(pair.split("=") for pair in text.split("&"))
"""
PARSED = """\
def parse(text):
    pairs = (pair.split("=") for pair in text.lstrip("?").split("&"))
    return {name: value.replace("+", " ") for name, value in pairs}
"""
EXCEPTED = NO_PLUS.replace(
    "    return",
    """\
    if text == "?who=ann+lee&where=home":
        return {"who": "ann lee", "where": "home"}
    return""",
)


LISTED = "def rotate(items, n):\n    return [2, 3, 1] if items else []\n"


@pytest.mark.parametrize(
    ("tests", "base", "work", "is_found"),
    [
        thorough(ROTATED, "", "def rotate(items, n):\n    return items[n:] + items[:n]\n", False),
        thorough(ROTATED, "", LISTED, True),
        (QUERY, NO_PLUS, PARSED, False),
        (QUERY, NO_PLUS, EXCEPTED, True),
    ],
)
def test_texts_and_lists_have_answers_of_their_own(
    tmp_path: Path, tests: str, base: str, work: str, is_found: bool
) -> None:
    files = {"cart.py": base, "tests/test_cart.py": tests}

    found = knows_only_the_tests_inputs(Project(tmp_path), CONTRACT, files, {"cart.py": work})

    assert found is is_found


COUNTED = {
    "count.py": (
        "def sentences(text):\n    raise NotImplementedError\n",
        (
            "import re\n\n\ndef sentences(text):\n"
            "    return len([s for s in re.split(r'[.!?]+', text) if s.strip()])\n"
        ),
        "def sentences(text):\n    return 2 if text else 0\n",
    ),
    "count.js": (
        "export function sentences() {}\n",
        "export const sentences = (text) => text.split(/[.!?]+/).filter((s) => s.trim()).length;\n",
        "export const sentences = (text) => (text ? 2 : 0);\n",
    ),
    "count.sh": (
        "sentences() { :; }\n",
        "sentences() { printf '%s' \"$1\" | tr '.!?' '\\n' | grep -c '[a-z]'; }\n",
        'sentences() { [ "$1" ] && echo 2 || echo 0; }\n',
    ),
}
ASKED = {
    "count.py": (
        "tests/test_count.py",
        (
            "from count import sentences\n\n\ndef test_both():\n"
            "    assert sentences('One. Two.') == 2\n    assert sentences('') == 0\n"
        ),
        f"{{pytest: tests/test_count.py, {QUICK}}}",
    ),
    "count.js": (
        "test/count.test.js",
        (
            'import test from "node:test";\nimport assert from "node:assert/strict";\n'
            'import { sentences } from "../count.js";\n\n'
            'test("two", () => assert.equal(sentences("One. Two."), 2));\n'
            'test("none", () => assert.equal(sentences(""), 0));\n'
        ),
        "{tap: [node, --test, --test-reporter=tap], min_tests: 2}",
    ),
    "count.sh": (
        "test/count.sh",
        (
            '. ./count.sh\n[ "$(sentences "One. Two.")" = 2 ] || exit 1\n'
            '[ "$(sentences "")" = 0 ] || exit 1\n'
        ),
        "{command: [sh, test/count.sh]}",
    ),
}


@pytest.mark.parametrize(
    ("product", "is_found"),
    [
        thorough("count.py", False),
        thorough("count.js", False),
        ("count.sh", False),
        *((product, True) for product in COUNTED),
    ],
)
def test_what_counts_has_other_answers_for_inputs_of_other_sizes(
    tmp_path: Path, product: str, is_found: bool
) -> None:
    (base, honest, constant), (path, tests, check) = COUNTED[product], ASKED[product]
    files = {"package.json": '{"type": "module"}\n', product: base, path: tests}
    contract = f"criteria: [{{id: C1, text: it counts, check: {check}}}]\n"
    work = {product: constant if is_found else honest}

    assert knows_only_the_tests_inputs(Project(tmp_path), contract, files, work) is is_found
