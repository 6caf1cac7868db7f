"""YAML text becomes nodes with lines. Tags, aliases and doubled keys are refused."""

from __future__ import annotations

from typing import Any

import yaml

from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import Node

AnyLoader = Any  # yaml's loaders share no type
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN = {"tag:yaml.org,2002:" + name for name in ("str", "int", "float", "bool", "null")}
_DATES = "tag:yaml.org,2002:timestamp"
_COLLECTIONS = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_DEPTH = 32
_DIGITS = 64
_NUMBER = "tag:yaml.org,2002:int"
_LONGEST_NUMBER = 1000  # Python reads no more than 4300 digits


class _Bad(ValueError):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def compose_nodes(text: str, first_line: int) -> Node | tuple[Problem, ...]:
    loader: AnyLoader = None
    try:
        _check_depth(text, first_line)
        loader = _Loader(text)
        root = loader.get_single_node()
        return Node({}, first_line) if root is None else _make_node(root, loader, first_line, set())
    except yaml.MarkedYAMLError as exc:
        last = text.count("\n")  # some problems are met behind the end
        line = first_line + (min(exc.problem_mark.line, last) if exc.problem_mark else 0)
        return (Problem(f"line {line}", f"not YAML: {exc.problem}"),)
    except _Bad as exc:
        return (Problem(f"line {exc.line}", str(exc)),)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as exc:
        return (Problem(f"line {first_line}", f"not YAML: {exc}"),)
    finally:
        if loader is not None:
            loader.dispose()


def _check_depth(text: str, first: int) -> None:
    """Check the depth before composing, because deep nesting would crash the parser in C."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEPTH:
            raise _Bad(first + event.start_mark.line, f"nested more than {_DEPTH} deep")


def _make_node(raw: yaml.Node, loader: AnyLoader, first: int, above: set[int]) -> Node:
    line = first + raw.start_mark.line
    if id(raw) in above:
        raise _Bad(line, "aliases are not for contracts: write it out")
    above.add(id(raw))
    if isinstance(raw, yaml.CollectionNode) and raw.tag not in _COLLECTIONS:
        raise _Bad(line, f"tag {raw.tag} is not for contracts")
    if isinstance(raw, yaml.MappingNode):
        return Node(_make_mapping(raw, loader, first, above), line)
    if isinstance(raw, yaml.SequenceNode):
        return Node(tuple(_make_node(item, loader, first, above) for item in raw.value), line)
    if raw.tag == _DATES:
        return Node(raw.value, line)  # we read a date as text
    if raw.tag not in _PLAIN:
        raise _Bad(line, f"tag {raw.tag} is not for contracts")
    if len(raw.value) > _LONGEST_NUMBER and raw.tag == _NUMBER:
        raise _Bad(line, "the number is too long")
    value = loader.construct_object(raw)
    if isinstance(value, int) and value.bit_length() > _DIGITS:
        raise _Bad(line, "the number is too long")  # Python would not even print it
    return Node(value, line)


def _make_mapping(
    raw: yaml.MappingNode, loader: AnyLoader, first: int, above: set[int]
) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for key, value in raw.value:
        line = first + key.start_mark.line
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
        if not name:
            raise _Bad(line, "a name is missing, or is not text")
        if name in found:
            raise _Bad(line, f"'{name}' is given twice")
        item = _make_node(value, loader, first, above)
        found[name] = item.replace(line=line)  # a problem of a field is told at its name
    return found


def write_yaml(plain: object) -> str:
    """Write what JSON can say as YAML for people; texts of several lines stay readable."""
    return str(yaml.dump(plain, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100))


class _Writer(yaml.SafeDumper):
    """Writes a text of several lines as a block."""


def _write_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _write_text)
