"""How often a finding is right, and how much is found, on sentences labelled by hand.

One set was written beside the engine, the other by somebody who did not know it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bench.timing import table
from goalkeeper.core.claims.flaws import find_hedges
from goalkeeper.core.claims.reading import ClaimClass
from goalkeeper.core.claims.scan import find_claims

HERE = Path(__file__).parent
SETS = ("own", "other")
LABELS = ("hedge", *(str(kind) for kind in ClaimClass))

Labelled = tuple[frozenset[str], frozenset[str]]  # what is there, what was found


class LabelledSetMissing(Exception):
    """A labelled set is not there, so nothing can be measured on it."""


def labelled(folder: Path = HERE) -> str:
    """A table over both sets: of each label how many there are, precision and recall.

    The last columns weigh both alike: as many lines of the one as of the other.
    """
    read = {name: lines(folder / f"labelled_{name}.jsonl") for name in SETS}
    own, other = read.values()
    spread = max(1, len(own) // len(other))
    read["half each"] = [*own[::spread][: len(other)], *other]
    headers = ["label"]
    for name in read:
        headers += [f"{name}: lines", "precision", "recall"]
    rows = [
        [label, *(cell for each in read.values() for cell in _cells(label, each))]
        for label in LABELS
    ]
    wholly = ["exactly right"]
    for each in read.values():
        right = sum(there == found for there, found in each)
        wholly += [f"{len(each)}", f"{right / len(each):.1%}", ""]
    return table(headers, [*rows, wholly])


def lines(path: Path) -> list[Labelled]:
    try:
        written = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as exc:
        raise LabelledSetMissing(f"{path.name} belongs beside {Path(__file__).name}") from exc
    return [_labelled(json.loads(line)) for line in written]


def _labelled(line: dict[str, object]) -> Labelled:
    text, labels = line["text"], line["labels"]
    if not isinstance(text, str) or not isinstance(labels, list) or set(labels) - set(LABELS):
        raise ValueError(f"not a labelled line: {line}")
    found = {str(claim.kind) for claim in find_claims(text)} | {
        flaw.kind for flaw in find_hedges(text)
    }
    return frozenset(labels), frozenset(found)


def rates(label: str, read: Sequence[Labelled]) -> tuple[int, float, float]:
    """How many lines have the label, how many findings are right, how many are found."""
    there = sum(label in labels for labels, _ in read)
    found = sum(label in findings for _, findings in read)
    right = sum(label in labels and label in findings for labels, findings in read)
    return there, right / found if found else 1.0, right / there if there else 1.0


def _cells(label: str, read: Sequence[Labelled]) -> list[str]:
    there, precision, recall = rates(label, read)
    return [str(there), f"{precision:.1%}", f"{recall:.1%}"]


if __name__ == "__main__":
    print(labelled())
