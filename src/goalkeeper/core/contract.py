"""A goal's contract, as far as the plan needs it: its text and what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from goalkeeper.core.model import Problem
from goalkeeper.wire.value import Value

FIELDS = (
    "criteria", "depends_on", "manifest", "may_change", "outcomes", "participants", "scope",
)  # fmt: skip


class Numbered(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...


class Contract(Value):
    text: str = ""
    depends_on: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_contract(lines: Sequence[Numbered]) -> Contract:
    """Parse the YAML between the fences; line numbers are the brief's."""
    text = "\n".join(line.text for line in lines)
    if not text.strip():
        return Contract()
    import yaml  # noqa: PLC0415  30 ms that only create-goals with a contract pays

    first = lines[0].number
    try:
        fields = yaml.safe_load(text)
    except yaml.MarkedYAMLError as exc:
        line = first + (exc.problem_mark.line if exc.problem_mark else 0)
        return Contract(problems=(Problem(f"line {line}", f"not YAML: {exc.problem}"),))
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as exc:
        return Contract(problems=(Problem(f"line {first}", f"not YAML: {exc}"),))
    if not isinstance(fields, dict):
        return Contract(problems=(Problem(f"line {first}", "the contract must be a mapping"),))
    unknown = [str(name) for name in fields if name not in FIELDS]
    if unknown:
        said = f"unknown field {', '.join(unknown)}; expected one of {', '.join(FIELDS)}"
        return Contract(problems=(Problem(f"line {first}", said),))
    line = next((at.number for at in lines if at.text.startswith("depends_on")), first)
    return _with_dependencies(text, fields.get("depends_on", []), f"line {line}")


def _with_dependencies(text: str, named: object, where: str) -> Contract:
    if not isinstance(named, list) or not all(isinstance(item, str) for item in named):
        problem = Problem(f"{where}, depends_on", "expected a list of goal ids such as [G001]")
        return Contract(problems=(problem,))
    return Contract(text, tuple(named))
