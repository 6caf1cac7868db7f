"""Checks as a contract has them: read by their schema, with their defaults."""

from goalkeeper.core.contract.check_kinds import Check, record_of_kind
from goalkeeper.core.schema import Node, Notes


def check(kind: str, main: object, **options: object) -> Check:
    notes = Notes()
    read = record_of_kind(kind).read_node(Node.from_plain({kind: main, **options}), "", notes)
    assert not notes.problems, notes.problems
    return Check(kind, read)
