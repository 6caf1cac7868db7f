"""Suites of several files with other expectations."""

from goalkeeper.tamper.spoiling.suite import spoil_suite

HEAD = 'import assert from "node:assert"\nimport test from "node:test"\n'
SURE = 'test("adds", () => { assert.equal(add(1, 1), 2) })\n'
UNSURE = 'test("adds", () => { if (add(1, 1) === 2) return; assert.equal(1, 2) })\n'


def test_a_title_that_two_files_have_counts_only_if_both_must_fail() -> None:
    both = {"test/a.test.js": f"{HEAD}{SURE}", "test/b.test.js": f"{HEAD}{SURE}"}
    one = {**both, "test/b.test.js": f"{HEAD}{UNSURE}"}

    found = [
        spoil_suite({path: text.encode() for path, text in files.items()}, "seed")
        for files in (both, one)
    ]

    assert found[0].spoilt == {"test/a.test.js::adds", "test/b.test.js::adds"}
    assert not found[1].spoilt
    assert "test/b.test.js::adds" in found[1].left
