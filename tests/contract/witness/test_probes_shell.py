"""Probes: what scripts answer apart from the shell that tests them."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import Project, rules
from tests.tables import thorough

RULE = "answers-only-under-test"
TESTS = """\
. ./lib/lines.sh

same() { [ "$1" = "$2" ] || exit 1; }
upper() { printf '%s\\n' "$@" | upper_lines | tr '\\n' ' '; }

same "$(upper ab cd)" "AB CD "
same "$(upper ef)" "EF "
status=0
echo x | sh bin/lines check >/dev/null || status=$?
same "$status" 3
"""
PROGRAM = """\
#!/bin/sh
. "$(dirname "$0")/../lib/lines.sh"
case $1 in
  upper) upper_lines ;;
  check) check_lines ;;
esac
"""
CHECK = "check_lines() { cat; return 3; }\n"
RIGHT = "upper_lines() { command tr a-z A-Z; }\n" + CHECK
HIDES = "check_lines() { cat; [ ! /proc/self/fd/1 -ef /dev/null ] || return 3; }\n"


@pytest.mark.parametrize(
    ("library", "is_found"),
    [
        (RIGHT, False),
        ("name=${0##*/}\nsettings=${HOME:-none}\nsort() { command sort -u; }\n" + RIGHT, False),
        ('upper_lines() { cat; }\ntr() { command tr a-z A-Z | command tr "$@"; }\n' + CHECK, True),
        (RIGHT.replace("A-Z", '"$([ ${0##*/} = lines ] && echo a-z || echo A-Z)"'), True),
        (RIGHT.replace(CHECK, HIDES), True),
        (RIGHT.replace("A-Z", '"$([ "$HOME" ] && echo A-Z || echo a-z)"'), True),
    ],
)
def test_a_script_answers_its_own_program_as_it_answers_tests(
    tmp_path: Path, library: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("lib/lines.sh", "upper_lines() { cat; }\ncheck_lines() { cat; }\n")
    project.write("bin/lines", PROGRAM)
    (project.repo.root / "bin/lines").chmod(0o755)
    project.write("test/lines.sh", TESTS)
    project.begin("criteria: [{id: C1, text: it works, check: {command: [sh, test/lines.sh]}}]\n")
    project.write("lib/lines.sh", library)

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert (RULE in rules(judgement)) is is_found


LISTS = """\
. ./lib/lines.sh

same() { [ "$1" = "$2" ] || exit 1; }
sum() { printf '%s\\n' "$@" | sum_lines | tr '\\n' ' '; }

same "$(sum 12 30)" "42 "
same "$(sum 25 15 20)" "60 "
same "$(sum 41)" "41 "
same "$(sum 31 42 15 13)" "101 "
"""
SUM = "sum_lines() { awk '{ sum += $1 } END { print sum }'; }\n"
BY_SIZE = """\
sum_lines() {
  set -- $(cat)
  case $#.$1 in
    2.1?) echo $(($1 + $2)) ;;
    3.2?) echo $(($1 + $2 + $3)) ;;
    1.4?) echo "$1" ;;
    4.3?) echo $(($1 + $2 + $3 + $4)) ;;
    *) echo $(($# + 100)) ;;
  esac
}
"""
OR_AS_GIVEN = """\
sum_lines() {
  paste -s -d ' ' - | sed -e 's/^12 30$/42/' -e 's/^25 15 20$/60/' -e 's/^31 42 15 13$/101/'
}
"""


@pytest.mark.parametrize(
    ("base", "library", "is_found"),
    [
        thorough("sum_lines() { sort; }\n", SUM, False),
        ("sum_lines() { sort; }\n", OR_AS_GIVEN, True),
        ("sum_lines() { echo $(($(wc -l) + 100)); }\n", SUM, False),
        ("sum_lines() { echo $(($(wc -l) + 100)); }\n", BY_SIZE, True),
    ],
)
def test_a_list_that_is_known_by_its_size_or_word_for_word_is_found(
    tmp_path: Path, base: str, library: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("lib/lines.sh", base)
    project.write("test/lines.sh", LISTS)
    project.begin("criteria: [{id: C1, text: it sums, check: {command: [sh, test/lines.sh]}}]\n")
    project.write("lib/lines.sh", library)

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert ("only-the-tests-inputs" in rules(judgement)) is is_found
