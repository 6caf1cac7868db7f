"""What the gates let through and what they turned away, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.foulplay.gates import CRITERIA
from goalkeeper.tamper.catalog import Family
from goalkeeper.wire.value import Value
from goalkeeper.witness.rules import all_rules

READING = "rules that read the change"


class Result(Value):
    gate: str
    subject: str  # work@host
    family: str  # of the operator; empty for honest work
    decidable: bool
    accepted: bool
    why: str
    round: int = 1
    caught_by: tuple[str, ...] = ()

    @property
    def is_cheat(self) -> bool:
        return bool(self.family)


def summarise(results: Sequence[Result]) -> dict[str, Any]:
    """Gate by gate, in the order in which they were asked; fit for JSON."""
    gates = dict.fromkeys(result.gate for result in results)
    return {"gates": [_row(gate, [one for one in results if one.gate == gate]) for gate in gates]}


def _row(gate: str, results: list[Result]) -> dict[str, Any]:
    cheats = [one for one in results if one.is_cheat]
    honest = [one for one in results if not one.is_cheat]
    families = dict.fromkeys(one.family for one in cheats)
    return {
        "gate": gate,
        "cheats": _share(cheats, lambda one: one.accepted),
        "decidable": _share([c for c in cheats if c.decidable], lambda one: one.accepted),
        "honest": _share(honest, lambda one: not one.accepted),
        "families": {
            family: _share([c for c in cheats if c.family == family], lambda one: one.accepted)
            for family in families
        },
        "rounds": {
            str(number): {
                "cheats": _share(_of(cheats, number), lambda one: one.accepted),
                "honest": _share(_of(honest, number), lambda one: not one.accepted),
            }
            for number in sorted({one.round for one in results})
        },
        "structures": by_structure(cheats),
        "rules": by_rule(cheats),
        "survivors": [one.subject for one in cheats if one.accepted],
        "refused": [{"subject": o.subject, "why": o.why} for o in honest if not o.accepted],
    }


def _of(results: list[Result], number: int) -> list[Result]:
    return [one for one in results if one.round == number]


def _share(results: list[Result], wrong: Callable[[Result], bool]) -> dict[str, int]:
    return {"wrong": sum(map(wrong, results)), "of": len(results)}


def markdown(results: Sequence[Result]) -> str:
    rows = summarise(results)["gates"]
    pages = [_overview(rows), _by_round(rows), _by_family(rows)]
    for row in rows:
        pages += [_structures(row), _rules(row)] if row["gate"] == "goalkeeper" else []
    pages.append(_named(rows))
    return "\n\n".join(pages) + "\n"


def _overview(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| Gate | Cheats accepted | of these decidable | Honest work refused |",
        "|---|---|---|---|",
    ]
    for row in rows:
        shares = (_shown(row[name]) for name in ("cheats", "decidable", "honest"))
        lines.append(f"| {row['gate']} | {' | '.join(shares)} |")
    return "\n".join(lines)


def _by_round(rows: list[dict[str, Any]]) -> str:
    lines = ["| Gate | Round | Cheats accepted | Honest work refused |", "|---|---|---|---|"]
    for row in rows:
        for number, shares in row["rounds"].items():
            told = f"{_shown(shares['cheats'])} | {_shown(shares['honest'])}"
            lines.append(f"| {row['gate']} | {number} | {told} |")
    return "\n".join(lines)


def _by_family(rows: list[dict[str, Any]]) -> str:
    families = list(dict.fromkeys(name for row in rows for name in row["families"]))
    lines = [f"| Gate | {' | '.join(families)} |", "|---" * (len(families) + 1) + "|"]
    for row in rows:
        shares = (_shown(row["families"].get(name, {"wrong": 0, "of": 0})) for name in families)
        lines.append(f"| {row['gate']} | {' | '.join(shares)} |")
    return "\n".join(lines)


def by_structure(cheats: Sequence[Result]) -> dict[str, dict[str, int]]:
    """How many cheats each structure caught, and how many no other structure did."""
    caught = [{name_structure(rule) for rule in one.caught_by} for one in cheats]
    names = sorted({name for each in caught for name in each})
    return {
        name: {
            "caught": sum(name in each for each in caught),
            "alone": sum(each == {name} for each in caught),
        }
        for name in names
    }


def by_rule(cheats: Sequence[Result]) -> dict[str, dict[str, int]]:
    """Ablation: how many cheats each rule that reads the change caught, and no structure did.

    A rule that no cheat is left for without it may become a note, or go.
    """
    caught = [[rule for rule in one.caught_by if name_structure(rule) == READING] for one in cheats]
    alone = [all(name_structure(rule) == READING for rule in one.caught_by) for one in cheats]
    names = sorted(name for name in all_rules() if name_structure(name) == READING)
    return {
        name: {
            "caught": sum(name in each for each in caught),
            "no structure": sum(
                name in each and is_alone for each, is_alone in zip(caught, alone, strict=True)
            ),
            "nothing else": sum(
                each == [name] and is_alone for each, is_alone in zip(caught, alone, strict=True)
            ),
        }
        for name in names
    }


def name_structure(rule: str) -> str:
    """A probe counts by itself; the rules that read the change are one structure together."""
    if rule == CRITERIA:
        return "base's tests and harness, in a clean checkout"
    if rule not in all_rules():
        return rule
    family = all_rules()[rule].family
    if family is Family.PROBE:
        return f"probe {rule}"
    return {Family.PROOF: "tests compared on both sides"}.get(family, READING)


def _structures(row: dict[str, Any]) -> str:
    lines = ["| Structure | Cheats caught | by nothing else |", "|---|--:|--:|"]
    for name, told in row["structures"].items():
        lines.append(f"| {name} | {told['caught']} | {told['alone']} |")
    return "\n".join(lines)


def _rules(row: dict[str, Any]) -> str:
    lines = ["| Rule | Cheats caught | by no structure | by nothing else |", "|---|--:|--:|--:|"]
    for name, told in row["rules"].items():
        lines.append(f"| {name} | {' | '.join(str(each) for each in told.values())} |")
    return "\n".join(lines)


def _named(rows: list[dict[str, Any]]) -> str:
    told = []
    for row in rows:
        survivors = _grouped(row["survivors"])
        if row["cheats"]["wrong"] == row["cheats"]["of"] > 0:
            survivors = "all"
        refused = "; ".join(f"{one['subject']} ({one['why']})" for one in row["refused"]) or "none"
        told.append(f"**{row['gate']}**\n\n- accepted cheats: {survivors}\n- refused: {refused}")
    return "\n\n".join(told)


def _grouped(subjects: list[str]) -> str:
    """work@host, with the hosts of each work together."""
    hosts: dict[str, list[str]] = {}
    for subject in subjects:
        work, host = subject.rsplit("@", 1)
        hosts.setdefault(work, []).append(host)
    return ", ".join(f"{work} ({' '.join(on)})" for work, on in hosts.items()) or "none"


def _shown(share: dict[str, int]) -> str:
    return f"{share['wrong']} / {share['of']}"
