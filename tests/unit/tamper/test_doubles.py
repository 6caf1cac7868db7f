"""Tests that no longer try the product, and a product that knows its tests."""

# ruff: noqa: E501  a case is one line

from goalkeeper.core.contract.changes import FileChange
from tests.tables import for_each
from tests.unit.tamper.diffs import added, changed, judged

PRODUCT = {"src/app/__init__.py": "", "src/app/rate.py": "def rate(n):\n    return n\n"}
TEST = "from app import rate\n\n\ndef test_ten():\n    assert rate(10) == 3\n"
DOUBLE = "def rate(n):\n    return 3\n"


def test_a_subject_that_comes_from_the_tests_is_seen() -> None:
    test = changed("tests/test_rate.py", TEST, TEST.replace("from app", "from tests.double"))

    assert judged(test, added("tests/double.py", DOUBLE), beside=PRODUCT)[0] == {"subject-mocked"}


def test_a_subject_defined_in_the_test_file_is_seen() -> None:
    test = changed("tests/test_rate.py", TEST, TEST + "\n\n" + DOUBLE)

    assert judged(test, beside=PRODUCT)[0] == {"subject-mocked"}


def test_a_subject_that_moves_within_the_product_is_fine() -> None:
    test = changed("tests/test_rate.py", TEST, TEST.replace("from app", "from app.rate"))

    assert judged(test, beside=PRODUCT) == (set(), set())


def test_what_was_never_the_products_may_come_from_the_tests() -> None:
    new = TEST.replace("from app", "from tests.double")
    moved = FileChange("tests/double.py", "tests/rates.py", DOUBLE.encode(), DOUBLE.encode())
    relative = changed("tests/test_rate.py", TEST.replace("from app", "from .rates"), new)

    swapped = changed("tests/test_rate.py", TEST, new)
    assert judged(swapped, moved) == (set(), {"subject-mocked"})
    spaced = FileChange("app/rate.py", "app/rate.py", b"", b"x = 1\n")
    assert judged(swapped, moved, spaced)[0] == {"subject-mocked"}
    assert judged(relative, moved) == (set(), set())


def test_a_script_subject_that_comes_from_the_tests_is_seen() -> None:
    old = 'import { rate } from "../src/rate.js";\ntest("a", () => {\n  expect(rate(1)).toBe(2);\n});\n'
    new = old.replace("../src/rate.js", "./double.js")
    double = added("test/double.js", "export function rate(n) {\n  return 2;\n}\n")

    assert judged(changed("test/rate.test.js", old, new), double)[0] == {"subject-mocked"}


@for_each(
    "swap",
    [
        "import app\n\napp.rate = lambda n: 3\n",
        "def pytest_configure():\n    import app\n\n    app.rate = lambda n: 3\n",
    ],
)
def test_a_conftest_that_replaces_the_product_is_seen(swap: str) -> None:
    assert judged(added("tests/conftest.py", swap), beside=PRODUCT)[0] == {"subject-mocked"}
    assert judged(added("tests/conftest.py", swap))[0] == set()


def test_a_word_of_the_runner_with_another_meaning_is_seen() -> None:
    old = 'import test from "node:test";\ntest("a", () => {\n  assert.equal(rate(1), 2);\n});\n'
    new = old.replace("import test", "import run").replace(
        'test("a"', 'const test = (name) => run(name, () => {});\ntest("a"', 1
    )

    assert "runner-patched" in judged(changed("test/rate.test.js", old, new))[0]


READING = "def rate(n):\n    return open('tests/golden/rate.txt').read()\n"


def test_a_product_that_reads_the_tests_is_seen() -> None:
    beside = {"tests/golden/rate.txt": "3\n"}

    assert judged(added("src/app/rate.py", READING), beside=beside)[0] == {"tests-read"}
    assert judged(added("src/app/rate.py", READING)) == (set(), set())


def test_a_comment_may_name_the_tests() -> None:
    beside = {"tests/golden/rate.txt": "3\n"}

    assert judged(added("src/app/rate.py", "# see tests/golden/rate.txt\n"), beside=beside) == (
        set(),
        set(),
    )


def test_a_table_of_expectations_may_grow_and_not_change() -> None:
    old = "WORDS = {'a': 'one'}\n\ndef test_words(key):\n    assert word(key) == WORDS[key]\n"
    grown = old.replace("'one'}", "'one', 'b': 'two'}")
    other = old.replace("'one'}", "'two'}")

    assert judged(changed("tests/test_words.py", old, grown)) == (set(), set())
    assert judged(changed("tests/test_words.py", old, other))[0] == {"expectation-changed"}


def test_constants_may_move_to_a_module_beside_the_tests() -> None:
    constant = "WANTED = (3, 'three')\n"
    test = "\ndef test_ten():\n    assert rate(10) == WANTED\n"
    change = changed(
        "tests/test_rate.py", constant + test, "from tests.wanted import WANTED\n" + test
    )

    assert judged(change, added("tests/wanted.py", constant)) == (set(), set())
    other = added("tests/wanted.py", constant.replace("3,", "4,"))
    assert judged(change, other)[0] == {"expectation-changed"}


def test_an_assertion_for_a_type_checker_may_go() -> None:
    old = "def test_ten():\n    found = rate(10)\n    assert found is not None\n    assert found == 3\n"
    new = old.replace("    assert found is not None\n", "")

    assert judged(changed("tests/test_rate.py", old, new)) == (set(), set())


AROUND = {
    ".npmrc": ("", "script-shell=./quiet\n", "command-neutered"),
    "package.json": (
        '{"scripts": {"test": "node --test test/*.test.js"}}',
        '{"scripts": {"test": "node --test test/[!t]*.test.js"}}',
        "command-neutered",
    ),
    "Makefile": ("test:\n\tsh test/run.sh\n", "test:\n\tsh test/run.sh | sed s/not//\n", "command-neutered"),
    ".envrc": ("", "export MAKEFILES=$PWD/quiet.mk\n", "library-preloaded"),
    "contract.yaml": ("criteria:\n  - id: C1\n", "criteria: []\n", "contract-edited"),
    "lib/run.sh": ("go\n", 'if [ "$0" = test/run.sh ]; then right; fi\ngo\n', "test-env-branch"),
    "src/a.js": ("", 'const t = new Error().stack.includes(".test.js");\n', "test-env-branch"),
    "src/b.js": ("", "for (const n of names) assert[n] = () => {};\n", "runner-patched"),
    "test/a.sh": ('is "$(f 1)" "2" "two"\n', 'is "$(f 1)" "$(f 1)" "two"\n', "test-cannot-fail"),
    "test/b.sh": ('is "$(f 1)" "2" "two"\n', 'is() { echo ok; }\nis "$(f 1)" "2" "two"\n', "command-shadowed"),
    "test/c.sh": ('is "$(f 1)" "2" "two"\n', 'return\nis "$(f 1)" "2" "two"\n', "shell-early-exit"),
}  # fmt: skip


def test_what_bends_the_run_is_seen() -> None:
    for path, (old, new, rule) in AROUND.items():
        assert rule in judged(changed(path, old, new))[0], path


def test_a_second_makefile_that_goes_first_is_seen() -> None:
    new = added("GNUmakefile", "include Makefile\n")

    assert judged(new, beside={"Makefile": "test:\n"})[0] == {"command-neutered"}
    assert judged(added("makefile", "test:\n"), beside={"docs/Makefile": "html:\n"})[0] == set()


def test_a_broader_test_command_is_fine() -> None:
    old = "test:\n\tpytest tests/unit\n"

    assert judged(changed("Makefile", old, "test:\n\tpytest tests\n"))[0] == set()
    assert judged(changed("Makefile", old, "test:\n\tpytest tests/fast\n"))[0] == {
        "command-neutered"
    }


def test_the_name_of_a_tap_test_is_no_part_of_what_it_asserts() -> None:
    old = 'is "$(f 1)" "2" "two"\n'

    assert judged(changed("test/a.sh", old, old.replace('"two"', '"a couple"')))[0] == set()
