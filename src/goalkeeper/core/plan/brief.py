"""A brief becomes goals.

The delimiter contract: a line is a story boundary only when `@goal` stands at column 0
and is followed by `:`, a space, a tab or the end of the line. Everything else is text.
"""

from __future__ import annotations

import re

from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.plan import graph, ids
from goalkeeper.core.plan.model import NewGoal, clip_title
from goalkeeper.core.problems import Problem
from goalkeeper.wire.value import Value

GOALS_LIMIT = 1000
_DELIMITER = "@goal"
_FENCE = "```contract"
_FENCE_END = "```"
_CLAIMS = re.compile(r"[\s{]*[\"']?criteria[\"']?\s*:")  # a text that means to be a contract


class Brief(Value):
    constraints: str
    goals: tuple[NewGoal, ...]


class BriefLine(Value):
    number: int
    text: str


class BriefBlock(Value):
    number: int
    title: str
    lines: tuple[BriefLine, ...]


def parse_brief(text: str) -> Brief | tuple[Problem, ...]:
    """The goals of a brief, or everything that is wrong with it."""
    lines = _read_lines(text.removeprefix("\ufeff"))
    if not any(line.text.strip() for line in lines):
        return (Problem("brief", "it is empty"),)
    preamble, blocks = _split_blocks(lines)
    if not blocks:
        preamble, blocks = (), [BriefBlock(1, "", tuple(lines))]
    if len(blocks) > GOALS_LIMIT:
        return (Problem("brief", f"it has {len(blocks)} goals; at most {GOALS_LIMIT} make a plan"),)
    problems = [
        Problem(f"line {line.number}", "a contract belongs to a goal; this one has none")
        for line in preamble
        if line.text.rstrip() == _FENCE
    ]
    goals = tuple(_read_goal(block, problems) for block in blocks)
    problems += graph.find_problems({ids.goal_id(n): g.depends_on for n, g in enumerate(goals, 1)})
    if problems:
        return tuple(problems)
    return Brief(_join_lines(preamble), goals)


def read_spec(text: str) -> Contract | tuple[Problem, ...] | None:
    """What a text asks for: the contract fenced in it, or the one it is. None: it is prose."""
    lines = tuple(_read_lines(text.removeprefix("\ufeff")))
    problems: list[Problem] = []
    _, fenced = _without_contract(BriefBlock(1, "", lines), problems)
    if problems:
        return tuple(problems)
    read = _read_contract(fenced or lines)
    if isinstance(read, Contract):
        return read if any(read.plain.values()) else None
    return read if fenced or any(_CLAIMS.match(line.text) for line in lines) else None


def _read_lines(text: str) -> list[BriefLine]:
    lines = text.replace("\r\n", "\n").split("\n")
    return [BriefLine(number, line) for number, line in enumerate(lines, 1)]


def _split_blocks(lines: list[BriefLine]) -> tuple[tuple[BriefLine, ...], list[BriefBlock]]:
    starts = [index for index, line in enumerate(lines) if _is_delimiter(line.text)]
    if not starts:
        return tuple(lines), []
    ends = [*starts[1:], len(lines)]
    blocks = [
        BriefBlock(
            number, lines[start].text[len(_DELIMITER) + 1 :].strip(), tuple(lines[start + 1 : end])
        )
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]
    return tuple(lines[: starts[0]]), blocks


def _is_delimiter(text: str) -> bool:
    after = text[len(_DELIMITER) : len(_DELIMITER) + 1]
    return text.startswith(_DELIMITER) and after in {"", ":", " ", "\t"} and "\r" not in text


def _read_goal(block: BriefBlock, problems: list[Problem]) -> NewGoal:
    lines, fenced = _without_contract(block, problems)
    body = _join_lines(lines)
    title = block.title or next((line.text.strip() for line in lines if line.text.strip()), "")
    if not title:
        problems.append(Problem(f"@goal block {block.number}", "it has no title or objective"))
    contract = _read_contract(fenced)
    if not isinstance(contract, Contract):
        problems += contract
        contract = Contract()
    text = "\n".join(line.text for line in fenced)
    text = text if text.strip() else ""
    return NewGoal(clip_title(title), body or title, contract.depends_on, text, contract.timing)


def _read_contract(lines: tuple[BriefLine, ...]) -> Contract | tuple[Problem, ...]:
    first = lines[0].number if lines else 1
    return read_text("\n".join(line.text for line in lines), first)


def _without_contract(
    block: BriefBlock, problems: list[Problem]
) -> tuple[tuple[BriefLine, ...], tuple[BriefLine, ...]]:
    """The block's text, and the lines of its one fenced contract."""
    starts = [index for index, line in enumerate(block.lines) if line.text.rstrip() == _FENCE]
    if not starts:
        return block.lines, ()
    start = starts[0]
    if len(starts) > 1:
        where = f"line {block.lines[starts[1]].number}"
        problems.append(Problem(where, "a goal takes one contract, this is the second"))
    for index in range(start + 1, len(block.lines)):
        if block.lines[index].text.rstrip() == _FENCE_END:
            return block.lines[:start] + block.lines[index + 1 :], block.lines[start + 1 : index]
    problems.append(Problem(f"line {block.lines[start].number}", "the contract is never closed"))
    return block.lines, ()


def _join_lines(lines: tuple[BriefLine, ...]) -> str:
    return "\n".join(line.text for line in lines).strip()
