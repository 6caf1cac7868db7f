"""Questions of tests in shell have the same answers in a plain script."""

from pathlib import Path

import pytest

from goalkeeper.tamper.questions.languages import LANGUAGES
from goalkeeper.tamper.questions.model import choose_answers
from tests.contract.tamper.questions.asking import ask, read_sheet, tell_wrong

LIBRARY = """
add() { echo $(($1 + $2)); }
show() { printf '%s\\n' "$@"; }
"""
PROGRAM = """
case $1 in
  add) echo $(($2 + $3)) ;;
  upper) tr a-z A-Z ;;
  quoted) printf 'a "b"\\\\\\tc\\nd' ;;
esac
"""
HEAD = """
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/sums.sh"
. ./test/helper.sh
BIN="$here/../bin/sums"
upper() { printf '%s\\n' "$1" | sh "$BIN" upper; }
"""
# Each line is a test, and the number of its questions.
ASKED = r"""
1 [ "$(add 1 22)" = "23" ]
1 [ 24 -eq $(add 2 22) ] || exit 1
1 test "$(sh bin/sums add 3 20)" = 23
1 if [ "$(add 4 20)" != 24 ]; then exit 1; fi
1 is "$(show "a b" 5)" "$(printf 'a b\n5')" "not a literal" || is "$(show 'é 5')" 'é 5' "a text"
1 is "$(upper 'abc 1')" 'ABC 1' "a function of the test"
1 is "$(echo abc 2 | sh "$BIN" upper)" "ABC 2" "a program in a variable"
1 same "the name comes first" "$(add 5 5)" 10
1 check "adds up" 11 "$(add 5 6)"
1 told=$(add 7 8); is "$told" 15 "by a name"
1 is "$(sh bin/sums quoted)" 'a "b"\	c<newline>d' "signs of JSON"
1 is "$(sh bin/sums upper <test/data/given.txt)" "$(cat test/golden/upper.txt)" "a golden file"
0 is "$(add 1 "$RANDOM")" 3 "what is not known"
0 is "$(show 1 >out.txt; cat out.txt)" 1 "a file that is written"
0 is "$(printf '%s' abc | tr a-z A-Z)" ABC "no product"
0 like "$(show 12)" "^1" "a pattern"
0 is "$(add 1 2)" "$(add 2 1)" "both are asked for"
0 x=$(add 1 2); x=$(add 2 3); is "$x" 5 "a name with two values"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("bin", "lib", "test/golden", "test/data"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lib/sums.sh").write_text(LIBRARY)
    (tmp_path / "bin/sums").write_text(PROGRAM)
    (tmp_path / "test/helper.sh").write_text("HELPED=1\nis() { :; }\n")
    (tmp_path / "test/golden/upper.txt").write_text("GIVEN\n1\n")
    (tmp_path / "test/data/given.txt").write_text("given\n1\n")
    return tmp_path


def list_tests() -> list[tuple[int, str]]:
    pairs = (line.split(" ", 1) for line in ASKED.strip().splitlines())
    return [(int(count), body.replace("<newline>", "\n")) for count, body in pairs]


def test_commands_with_literals_that_ask_the_product_are_questions() -> None:
    wrong = []
    for count, body in list_tests():
        sheet = read_sheet("test/test_a.sh", f"{HEAD}{body}\n")
        found = len(sheet.questions) if sheet else 0
        wrong += [] if found == count else [(found, body)]
    assert not wrong


def test_a_plain_script_gives_the_answers_that_tests_expect(tree: Path) -> None:
    text = HEAD + "\n".join(body for _, body in list_tests()) + "\n"
    (tree / "test/test_a.sh").write_text(text)
    sheet = read_sheet("test/test_a.sh", text)
    assert sheet is not None

    told = ask(tree, "test/test_a.sh")

    assert not tell_wrong(sheet, told)
    assert not tell_wrong(sheet, ask(tree, "test/test_a.sh", folder="test"))
    others = [key for key in choose_answers(told, expected=False) if key[1]]
    assert len(others) == sum(len(each.list_other_calls()) for each in sheet.questions)


def test_signs_of_a_test_are_only_around_a_script_that_is_a_test(tree: Path) -> None:
    signs = ('"$MAKELEVEL"', '"$HELPED"', '"$#"', '"$(expr "$0" : ".*test_")"', '"$BATS_VERSION"')
    library = "number=$#\n"
    for place, sign in enumerate(signs):
        told = sign.replace("$#", "$number")
        library += f'is_{place}() {{ case {told} in "" | 0) echo no ;; *) echo "$1" ;; esac; }}\n'
    (tree / "lib/sums.sh").write_text(library)
    text = HEAD + "".join(f'[ "$(is_{n} 7{n})" = 7{n} ]\n' for n, _ in enumerate(signs))
    (tree / "test/test_a.sh").write_text(text)
    sheet = read_sheet("test/test_a.sh", text)
    assert sheet is not None

    assert len(tell_wrong(sheet, ask(tree, "test/test_a.sh"))) == len(signs)
    assert not tell_wrong(sheet, ask(tree, "test/test_a.sh", folder="test"))


def test_a_product_cannot_bend_what_prints_its_answers(tree: Path) -> None:
    bent = "printf() { :; }\ntell() { :; }\nalias tell=:\nexit 0\n"
    (tree / "lib/sums.sh").write_text(f"{LIBRARY}{bent}")
    text = HEAD + '[ "$(add 1 1)" = 2 ]\n[ "$(sh bin/sums add 20 2)" = 22 ]\n'
    (tree / "test/test_a.sh").write_text(text)

    told = choose_answers(ask(tree, "test/test_a.sh"), expected=False)

    assert [told[0, 0].text, told[1, 0].text] == ["", "22"]


def test_scripts_share_what_the_one_that_runs_them_sources(tree: Path) -> None:
    (shell,) = (each for each in LANGUAGES if each.is_written_in("run.sh"))
    run = read_sheet("test/run.sh", '. ./lib/sums.sh\nfor file; do . "./$file"; done\n')
    asks = read_sheet("test/test_b.sh", 'is "$(add 30 1)" 31 "it adds"\n')
    assert run is not None
    assert asks is not None
    assert not run.questions

    program = shell.write([run, asks], "nonce", name="x", folder="", python="", kept=())

    assert program.text.count(". './lib/sums.sh'") == 2


def test_what_only_helpers_of_the_tests_define_is_absent_without_them(tree: Path) -> None:
    (tree / "test/helper.sh").write_text('is() { :; }\ntotal_of() { add "$@"; }\n')
    (tree / "test/sums.sh").write_text(f'{HEAD}is "$(total_of 7 8)" 15 "by a helper"\n')

    plain = choose_answers(ask(tree, "test/sums.sh"), expected=False)
    control = choose_answers(ask(tree, "test/sums.sh", folder="test"), expected=False)

    assert (plain[0, 0].kind, control[0, 0]) == ("absent", ("value", "15"))
