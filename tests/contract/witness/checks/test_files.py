"""`file`, `json`, `jsonl` and the manifest's kinds, on the files of a tree."""

from hashlib import sha256
from typing import Any

import pytest

from goalkeeper.core.contract.criteria import Verdict
from tests.contract.witness.checks.places import Bench

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
DIGEST = sha256(b"one\n").hexdigest()


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.write("a.txt", "one\n")
    bench.write("out/x.csv", "id,name\n1,a\n")
    bench.write("out/y.csv", "id,name\n")
    bench.write("out/deep/z.csv", "other\n")
    bench.write("bytes.bin", b"\xff\xfeneedle")
    (bench.root / "link").symlink_to("a.txt")
    return bench


@pytest.mark.parametrize(
    ("main", "options", "verdict", "reason"),
    [
        ("a.txt", {}, P, "1 files match a.txt"),
        ("b.txt", {}, F, "0 files match b.txt, expected at least 1"),
        ("out/*.csv", {"min_count": 2}, P, "2 files"),
        ("out/*.csv", {"min_count": 3}, F, "2 files match out/*.csv, expected at least 3"),
        ("out/**", {"max_count": 2}, F, "3 files match out/**, expected at most 2"),
        ("out", {"min_count": 3}, P, "3 files"),
        ("a.txt", {"is": "absent"}, F, "a.txt exists"),
        ("out", {"is": "absent"}, F, "out/deep/z.csv, out/x.csv, out/y.csv exists"),
        ("b.txt", {"is": "absent"}, P, "no b.txt"),
        ("a.txt", {"sha256": DIGEST}, P, ""),
        ("out/x.csv", {"sha256": DIGEST}, F, "out/x.csv has another SHA-256"),
        ("link", {"sha256": DIGEST}, F, "link is not a plain file"),
        ("link", {}, P, ""),
        ("out/*.csv", {"contains": "^id,"}, P, ""),
        ("out/**", {"contains": "^id,"}, F, "out/deep/z.csv does not contain ^id,"),
        ("bytes.bin", {"contains": "needle$"}, P, ""),
    ],
)
def test_files_are_there_or_not(
    main: str, options: dict[str, Any], verdict: Verdict, reason: str, bench: Bench
) -> None:
    seen = bench.see("file", main, **options)

    assert seen.verdict is verdict, seen
    assert seen.reason.startswith(reason)


@pytest.mark.parametrize(
    ("main", "options", "verdict", "reason"),
    [
        (["a.txt", "out"], {}, P, "4 files are there"),
        (["a.txt", "b.txt", "c/**"], {}, F, "missing: b.txt, c/**"),
        (["out/**"], {"min_file_count": 4}, F, "3 files, expected at least 4"),
        (["out/**"], {"min_file_count": 3}, P, "3 files"),
    ],
)
def test_expected_paths(
    main: list[str], options: dict[str, Any], verdict: Verdict, reason: str, bench: Bench
) -> None:
    seen = bench.see("expected_paths", main, **options)

    assert (seen.verdict, seen.reason.startswith(reason)) == (verdict, True), seen


def test_forbidden_paths_are_those_that_the_change_touched(bench: Bench) -> None:
    bench.know(changed=("src/a.py", "secrets/key"))

    assert bench.see("forbidden_paths", ["out/**", "src/b.py"]).verdict is P
    seen = bench.see("forbidden_paths", ["secrets"])
    assert (seen.verdict, seen.reason) == (F, "changed: secrets/key")


@pytest.mark.parametrize(
    ("path", "pattern", "verdict", "reason"),
    [
        ("a.txt", "^one$", P, "every pattern is there"),
        ("a.txt", "two", F, "a.txt does not contain two"),
        ("b.txt", "x", F, "b.txt is missing"),
        ("link", "one", F, "link is missing"),
    ],
)
def test_must_contain(path: str, pattern: str, verdict: Verdict, reason: str, bench: Bench) -> None:
    given = [{"path": "out/x.csv", "pattern": "id"}, {"path": path, "pattern": pattern}]

    seen = bench.see("must_contain", given)

    assert (seen.verdict, seen.reason) == (verdict, reason)


def test_scripts_that_bash_can_parse(bench: Bench) -> None:
    bench.write("good.sh", f"if true; then touch {bench.root}/ran; fi\n")
    bench.write("bad.sh", "if true; then\n")
    bench.write("-n.sh", "echo a name like an option\n")

    assert bench.see("bash_syntax_check", ["good.sh", "-*.sh"]).verdict is P
    bad = bench.see("bash_syntax_check", ["*.sh"])
    assert bad.verdict is F
    assert "bad.sh" in bad.reason
    none = bench.see("bash_syntax_check", ["none/*.sh"])
    assert (none.verdict, none.reason) == (F, "no script matches none/*.sh")
    assert not (bench.root / "ran").exists()


DOCUMENT = '{"a": {"b": [1, {"c": null}]}, "n": 3, "ok": false, "t": "3", "list": [1, 2], "": 0}'


@pytest.mark.parametrize(
    ("options", "verdict", "reason"),
    [
        ({"field": "a.b[0]"}, P, "a.b[0] is as expected"),
        ({"field": "a.b[1].c"}, P, ""),
        ({"field": "a.b[2]"}, F, "d.json has no a.b[2]"),
        ({"field": "a.x"}, F, "d.json has no a.x"),
        ({"field": "n.x"}, F, "d.json has no n.x"),
        ({"field": "a[0]"}, F, "d.json has no a[0]"),
        ({"field": "n", "equals": 3}, P, ""),
        ({"field": "n", "equals": 4}, F, "n is 3, expected 4"),
        ({"field": "t", "equals": 3}, F, 't is "3", expected 3'),
        ({"field": "ok", "equals": False}, P, ""),
        ({"field": "ok", "equals": 0}, F, "ok is false, expected 0"),
        ({"field": "a", "equals": {"b": [1, {"c": None}]}}, P, ""),
        ({"field": "n", "min": 3, "max": 3}, P, ""),
        ({"field": "n", "min": 4}, F, "n is 3, out of bounds"),
        ({"field": "t", "min": 0}, F, "t is not a number"),
        ({"field": "ok", "min": 0}, F, "ok is not a number"),
        ({"field": "list", "min_count": 2}, P, ""),
        ({"field": "list", "min_count": 3}, F, "list has fewer than 3 items"),
        ({"field": "n", "min_count": 1}, F, "n has fewer than 1 items"),
        ({"min_count": 6}, P, "it is as expected"),
        ({"min_count": 7}, F, "it has fewer than 7 items"),
    ],
)
def test_fields_of_json(
    options: dict[str, Any], verdict: Verdict, reason: str, bench: Bench
) -> None:
    bench.write("d.json", DOCUMENT)

    seen = bench.see("json", "d.json", **options)

    assert (seen.verdict, seen.reason.startswith(reason)) == (verdict, True), seen


@pytest.mark.parametrize("text", ["", "{", "\xff", "[" * 100_000, "{} {}"])
def test_what_is_no_json_fails(text: str, bench: Bench) -> None:
    bench.write("d.json", text.encode("latin-1"))

    assert bench.see("json", "d.json", field="a").verdict is F
    assert bench.see("json", "gone.json", field="a").reason == "gone.json is missing"


LINES = '{"ok": true}\n\n{"ok": false}\n{"ok": true, "n": 1}\n'


@pytest.mark.parametrize(
    ("options", "verdict", "reason"),
    [
        ({}, P, "3 lines fit"),
        ({"min_count": 4}, F, "3 lines fit, expected 4 to any"),
        ({"field": "ok", "equals": True, "min_count": 2}, P, "2 lines fit"),
        ({"field": "ok", "equals": True, "max_count": 1}, F, "2 lines fit, expected 1 to 1"),
        ({"field": "ok", "equals": "no", "max_count": 0}, P, "0 lines fit"),
        ({"field": "ok", "equals": True, "max_count": 0}, F, "2 lines fit, expected 0 to 0"),
        ({"field": "x"}, F, "0 lines fit"),
        ({"field": "n"}, P, "1 lines fit"),
    ],
)
def test_lines_of_json(
    options: dict[str, Any], verdict: Verdict, reason: str, bench: Bench
) -> None:
    bench.write("log.jsonl", LINES)

    seen = bench.see("jsonl", "log.jsonl", **options)

    assert (seen.verdict, seen.reason) == (verdict, reason) or seen.reason.startswith(reason), seen
    assert seen.verdict is verdict


def test_lines_that_are_no_json_fail(bench: Bench) -> None:
    bench.write("log.jsonl", "{}\nnot json\n")

    seen = bench.see("jsonl", "log.jsonl")

    assert (seen.verdict, seen.reason) == (F, "line 2 of log.jsonl is not JSON")
    assert bench.see("jsonl", "gone.jsonl").verdict is F
