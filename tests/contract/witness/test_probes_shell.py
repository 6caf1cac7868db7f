"""Probes: what scripts answer apart from the shell that tests them."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import Project, rules

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
    project.freeze("criteria: [{id: C1, text: it works, check: {command: [sh, test/lines.sh]}}]\n")
    project.write("lib/lines.sh", library)

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert (RULE in rules(judgement)) is is_found
