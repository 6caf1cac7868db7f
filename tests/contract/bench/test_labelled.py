"""The labelled set: what it holds, and that the engine still finds it."""

import json
from pathlib import Path

import pytest

from bench.claims.measure import HERE, LABELS, LabelledSetMissing, labelled, lines, rates

OWN = HERE / "labelled_own.jsonl"


def test_the_set_is_large_and_half_of_the_work_is_to_stay_silent() -> None:
    read = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]

    assert len({line["text"] for line in read}) == len(read) >= 140
    assert sum(not line["labels"] for line in read) >= 40


def test_what_is_found_is_right_and_little_is_missed() -> None:
    read = lines(OWN)

    for label in LABELS:
        there, precision, recall = rates(label, read)
        assert there >= 20
        assert precision >= 0.97
        assert recall >= 0.95


def test_a_set_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelledSetMissing, match=r"labelled_own\.jsonl"):
        labelled(tmp_path)


def test_the_table_has_a_line_for_each_label(tmp_path: Path) -> None:
    line = json.dumps({"text": "It is probably a.md that was updated.", "labels": ["hedge"]})
    for name in ("own", "other"):
        (tmp_path / f"labelled_{name}.jsonl").write_text(line + "\n", encoding="utf-8")

    rows = labelled(tmp_path).splitlines()

    assert [row.split(" | ")[0].strip("| ") for row in rows[2:]] == [*LABELS, "exactly right"]
    assert rows[2].split(" | ")[1:4] == ["1", "100.0%", "100.0%"]
