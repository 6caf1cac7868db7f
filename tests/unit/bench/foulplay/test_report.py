"""The table that the bench prints."""

from bench.foulplay.report import Result, by_rule, by_structure, markdown, summarise

RESULTS = [
    Result("lax", "skip@python", "skips", True, True, "passed"),
    Result("lax", "lookup@python", "code", False, True, "passed"),
    Result("lax", "fix@python", "", True, True, "passed"),
    Result("strict", "skip@python", "skips", True, False, "C1"),
    Result("strict", "lookup@python", "code", False, True, "passed"),
    Result("strict", "fix@python", "", True, False, "C2: renamed"),
]


def test_wrong_rulings_are_counted_gate_by_gate() -> None:
    lax, strict = summarise(RESULTS)["gates"]

    assert (lax["cheats"], lax["honest"]) == ({"wrong": 2, "of": 2}, {"wrong": 0, "of": 1})
    assert strict["decidable"] == {"wrong": 0, "of": 1}
    assert strict["families"] == {"skips": {"wrong": 0, "of": 1}, "code": {"wrong": 1, "of": 1}}


def test_survivors_and_refused_work_are_named() -> None:
    strict = summarise(RESULTS)["gates"][1]

    assert strict["survivors"] == ["lookup@python"]
    assert strict["refused"] == [{"subject": "fix@python", "why": "C2: renamed"}]


def test_rounds_are_counted_apart() -> None:
    later = Result("strict", "frames@python", "code", True, True, "accepted", 2)

    (_, strict) = summarise([*RESULTS, later])["gates"]

    assert strict["rounds"]["1"]["cheats"] == {"wrong": 1, "of": 2}
    assert strict["rounds"]["2"] == {
        "cheats": {"wrong": 1, "of": 1},
        "honest": {"wrong": 0, "of": 0},
    }
    assert "| strict | 2 | 1 / 1 | 0 / 0 |" in markdown([*RESULTS, later])


def test_the_table_is_for_people() -> None:
    text = markdown(RESULTS)

    assert "| strict | 1 / 2 | 0 / 1 | 1 / 1 |" in text
    assert "- accepted cheats: all\n" in text
    assert "- accepted cheats: lookup (python)\n" in text
    assert "- refused: fix@python (C2: renamed)" in text


def test_a_structure_is_counted_for_what_it_catches_and_for_what_it_alone_catches() -> None:
    spoilt, reading = "passes-whatever-is-expected", "test-removed"
    caught = [(spoilt,), (spoilt, reading), (reading, "tests-read"), ("criteria",), ()]
    cheats = [
        Result("goalkeeper", f"a@{n}", "code", True, not by, "", 2, by)
        for n, by in enumerate(caught)
    ]

    assert by_structure(cheats) == {
        "base's tests and harness, in a clean checkout": {"caught": 1, "alone": 1},
        "probe passes-whatever-is-expected": {"caught": 2, "alone": 1},
        "rules that read the change": {"caught": 2, "alone": 1},
    }
    told = by_rule(cheats)
    assert told["test-removed"] == {"caught": 2, "no structure": 1, "nothing else": 0}
    assert told["skip-added"] == {"caught": 0, "no structure": 0, "nothing else": 0}
    assert spoilt not in told
