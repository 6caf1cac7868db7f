"""A brief becomes goals.

A line begins a goal only when `@goal` stands at column 0 and is followed by `:`, a space, a tab or
the end of the line. Everything else is text.
"""

from __future__ import annotations

from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.plan import graph, ids
from goalkeeper.core.plan.model import NewGoal, clip_title
from goalkeeper.core.problems import Problem
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

GOALS_LIMIT = 1000
_DELIMITER = "@goal"
_FENCE = "```contract"
_FENCE_END = "```"
_CLAIMS = late_pattern(r"[\s{]*[\"']?criteria[\"']?\s*:")  # it may be a contract


class Brief(Value):
    constraints: str
    goals: tuple[NewGoal, ...]


class BriefBlock(Value):
    number: int
    title: str
    lines: tuple[str, ...]
    first: int = 1  # the number of its first line in the brief


def parse_brief(text: str) -> Brief | tuple[Problem, ...]:
    """Read the goals of a brief; return everything that is wrong with it if something is."""
    lines = _split_lines(text)
    if not any(line.strip() for line in lines):
        return (Problem("brief", "it is empty"),)
    starts = [index for index, line in enumerate(lines) if _is_delimiter(line)]
    preamble = lines[: starts[0]] if starts else ()
    spans = zip(starts, [*starts[1:], len(lines)], strict=False)
    blocks = [
        BriefBlock(
            number, lines[start][len(_DELIMITER) + 1 :].strip(), lines[start + 1 : end], start + 2
        )
        for number, (start, end) in enumerate(spans, 1)
    ] or [BriefBlock(1, "", lines)]
    if len(blocks) > GOALS_LIMIT:
        return (Problem("brief", f"it has {len(blocks)} goals; at most {GOALS_LIMIT} make a plan"),)
    problems = [
        Problem(f"line {number}", "a contract belongs to a goal; this one has none")
        for number, line in enumerate(preamble, 1)
        if line.rstrip() == _FENCE
    ]
    goals = tuple(_read_goal(block, problems) for block in blocks)
    problems += graph.find_problems({ids.goal_id(n): g.depends_on for n, g in enumerate(goals, 1)})
    return tuple(problems) or Brief("\n".join(preamble).strip(), goals)


def read_spec(text: str) -> Contract | tuple[Problem, ...] | None:
    """Read the contract that is fenced in a text, or that the text is; None when it is prose."""
    whole = BriefBlock(1, "", _split_lines(text))
    problems: list[Problem] = []
    _, fenced = _without_contract(whole, problems)
    if problems:
        return tuple(problems)
    asked = fenced if fenced.lines else whole
    read = read_text("\n".join(asked.lines), asked.first)
    if isinstance(read, Contract):
        return read if any(read.plain.values()) else None
    return read if fenced.lines or any(map(_CLAIMS.match, whole.lines)) else None


def _split_lines(text: str) -> tuple[str, ...]:
    return tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))


def _is_delimiter(text: str) -> bool:
    after = text[len(_DELIMITER) : len(_DELIMITER) + 1]
    return text.startswith(_DELIMITER) and after in {"", ":", " ", "\t"} and "\r" not in text


def _read_goal(block: BriefBlock, problems: list[Problem]) -> NewGoal:
    lines, fenced = _without_contract(block, problems)
    body = "\n".join(lines).strip()
    title = block.title or next((line.strip() for line in lines if line.strip()), "")
    if not title:
        problems.append(Problem(f"@goal block {block.number}", "it has no title or objective"))
    text = "\n".join(fenced.lines)
    contract = read_text(text, fenced.first)
    if not isinstance(contract, Contract):
        problems += contract
        contract = Contract()
    text = text if text.strip() else ""
    return NewGoal(clip_title(title), body or title, contract.depends_on, text, contract.timing)


def _without_contract(
    block: BriefBlock, problems: list[Problem]
) -> tuple[tuple[str, ...], BriefBlock]:
    """Return the block's text and its one fenced contract, which is empty if it has none."""
    starts = [index for index, line in enumerate(block.lines) if line.rstrip() == _FENCE]
    if not starts:
        return block.lines, block.replace(lines=())
    start = starts[0]
    if len(starts) > 1:
        where = f"line {block.first + starts[1]}"
        problems.append(Problem(where, "a goal takes one contract, this is the second"))
    for end in range(start + 1, len(block.lines)):
        if block.lines[end].rstrip() == _FENCE_END:
            fenced = block.replace(
                lines=block.lines[start + 1 : end], first=block.first + start + 1
            )
            return block.lines[:start] + block.lines[end + 1 :], fenced
    problems.append(Problem(f"line {block.first + start}", "the contract is never closed"))
    return block.lines, block.replace(lines=())
