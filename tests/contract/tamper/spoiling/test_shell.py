"""Spoilt tests of shell fail in the real shell, and in bats."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.tamper.spoiling.golden import spoil_golden
from goalkeeper.tamper.spoiling.shell import spoil_shell
from goalkeeper.witness.reports import tap
from tests.tables import for_each

SEEDS = ("one", "two")
HELPERS = """
count=0
is() {
  count=$((count + 1))
  if [ "$1" = "$2" ]; then echo "ok $count - $3"; else echo "not ok $count - $3"; fi
}
isnt() {
  count=$((count + 1))
  if [ "$1" = "$2" ]; then echo "not ok $count - $3"; else echo "ok $count - $3"; fi
}
like() {
  if printf '%s\n' "$1" | grep -Eq "$2"; then is 0 0 "$3"; else is "$1" "/$2/" "$3"; fi
}
same() {
  name=$1 wanted=$2
  shift 2
  count=$((count + 1))
  [ "$("$@")" = "$wanted" ] && echo "ok $count - $name" ||
    printf 'not ok %d - %s\n' "$count" "$name"
}
echoes() {
  count=$((count + 1))
  got=$(echo "$1")
  if [ "$got" != "$1" ]; then echo "not ok $count - $2"; else echo "ok $count - $2"; fi
}
"""
TAP = """
. ./helpers.sh
is "$(echo a)" a "a word"
is "" "$(true)" "nothing"
is "$(echo 'a b')" 'a b' "two words"
is "$(seq 3 | wc -l)" "$(echo 3)" "both are asked for"
like "$(echo hello world)" "^hello w" "a pattern"
like "$(echo ab)" "^a|c" "one of two patterns"
same "the name comes first" "v 1" echo v 1
is "$(cat given.txt)" "$(cat golden/told.txt)" "as agreed"
for word in x y; do is "$(echo z)" z "in a loop"; done
if [ "$(echo 1)" -eq 1 ]; then
  count=$((count + 1)); echo "ok $count - by hand"
else
  count=$((count + 1)); echo "not ok $count - by hand"
fi
isnt "$(echo a)" b "not the same"
echoes here "an echo"
if false; then is a a "never"; fi
echo "1..$count"
"""
BATS = """
setup() { x=1; }
assert_sum() { [ "$(($1 + $2))" -eq "$3" ] || return 1; }
@test "status" {
  run true; [ "$status" -eq 0 ]
}
@test 'output' {
  run echo hello
  [ "$output" = "hello" ]
}
@test "inside" {
  run echo hello world; [[ $output == *"lo wo"* ]]
}
@test "pattern" {
  run echo hello; [[ "$output" =~ ^h.llo$ ]]
}
@test "search" {
  echo hello | grep -q "ell"
}
@test "either" {
  [ "$(echo a)" = a ] || { echo no; return 1; }
}
@test "helper" {
  assert_sum 1 2 3
}
@test "not empty" {
  run echo hello; [ -n "$output" ]
}
@test "different" {
  [ "$(echo a)" != b ]
}
@test "agreed" {
  diff golden/told.txt given.txt
}
@test "maybe" {
  if false; then [ a = a ]; fi
}
@test "skipped" {
  [ -e here ] || skip "not here"; [ a = a ]
}
@test "early" {
  [ "$x" = 1 ] && return 0; [ a = a ]
}
@test "nothing" {
  echo 1
}
"""
SCRIPTS = [
    'bad=0\nis() { [ "$1" = "$2" ] || bad=1; }\nend() { [ $bad = 0 ]; }\nis "$(echo a)" a\nend\n',
    'is() { got=$("$@"); [ "$got" = "$2" ] || exit 1; }\nis echo a\n',
    'is() { w=$1; got=$(echo "$w"); [ "$got" = "$w" ] || exit 1; }\nis a\n',
    'set -e\n[ "$(echo a)" = a ]\necho done\n',
    '[ "$(echo a)" = a ] || exit 1\necho done\n',
    'if [ "$(echo a)" != a ]; then echo wrong; exit 2; fi\necho done\n',
    'fail() { echo "$1"; exit 1; }\ntest "$(echo a)" = "a" || fail no\necho done\n',
    'failed=0\ncheck() { [ "$2" = "$3" ] || failed=1; }\ncheck x "$(echo a)" a\nexit $failed\n',
    "echo hello | grep -q hello\n",
]
UNSURE = [
    'is() { [ "$1" = "$2" ] || failed=1; }\nend() { [ "$failed" = 0 ]; }\nis "$(echo a)" a\ntrue\n',
    "trap 'rm -f x; exit 0' EXIT\n[ \"$(echo a)\" = a ] || exit 1\n",
    'need() { [ -e x ] || exit 0; }\nneed\n[ "$(echo a)" = a ] || exit 1\n',
    '[ "$(echo a)" = a ]\necho done\n',
    'if [ "$(echo a)" = a ]; then echo yes; fi\n',
    '[ "$1" = x ] || exit 0\n[ "$(echo a)" = a ] || exit 1\n',
]


def lay(folder: Path) -> None:
    (folder / "golden").mkdir()
    (folder / "golden/told.txt").write_text("one\ntwo\n")
    (folder / "given.txt").write_text("one\ntwo\n")
    (folder / "helpers.sh").write_text(HELPERS)


def run(folder: Path, argv: Sequence[str]) -> dict[str, Outcome]:
    done = subprocess.run(argv, cwd=folder, check=False, capture_output=True, timeout=60)
    return {case.id: case.outcome for case in tap.parse(done.stdout)}


def try_seeds(folder: Path, name: str, text: str, argv: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the names of tests that were spoilt and that were left; all spoilt ones must fail."""
    lay(folder)
    (folder / name).write_text(text)
    before = run(folder, argv)
    assert Outcome.FAILED not in before.values()
    spoilt: set[str] = set()
    for seed in SEEDS:
        found = spoil_shell(text, seed, path=name, others={"helpers.sh": HELPERS})
        assert found is not None
        golden = spoil_golden(b"one\ntwo\n", seed)
        assert golden is not None
        (folder / "golden/told.txt").write_bytes(golden)
        (folder / name).write_text(found.text)
        after = run(folder, argv)
        spoilt = {*found.spoilt, *(test for _, test in found.golden)}
        assert set(after) == set(before)
        assert not {each for each in spoilt if after[each] is not Outcome.FAILED}
    return spoilt, set(before) - spoilt


def test_every_point_of_tap_that_is_named_fails(tmp_path: Path) -> None:
    spoilt, left = try_seeds(tmp_path, "a.sh", TAP, ["sh", "a.sh"])

    assert left == {"not the same", "an echo", "in a loop #2"}
    assert "as agreed" in spoilt


@pytest.mark.needs("bats")
def test_every_test_of_bats_that_is_named_fails(tmp_path: Path) -> None:
    _, left = try_seeds(tmp_path, "a.bats", BATS, ["bats", "--tap", "a.bats"])

    assert left == {"maybe", "skipped", "early", "nothing"}


@for_each("text", SCRIPTS)
def test_a_script_that_judges_ends_with_another_status(text: str, tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    for seed in ("", *SEEDS):
        found = spoil_shell(text, seed, path="a.sh")
        assert found is not None
        assert found.spoilt == ("",)
        script.write_text(found.text if seed else text)
        done = subprocess.run(["sh", str(script)], check=False, capture_output=True, timeout=60)
        assert bool(done.returncode) == bool(seed)


@for_each("text", UNSURE)
def test_a_script_that_may_pass_anyway_is_not_named(text: str) -> None:
    found = spoil_shell(text, "seed", path="a.sh")

    assert found is None or not found.spoilt
