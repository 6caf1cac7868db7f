"""What a file of JavaScript says about one of its tests: not what others of its tests say."""

from __future__ import annotations

from goalkeeper.tamper.javascript.tests import find_test_calls
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.syntax import Source, group_nodes


def read_own_script(source: Source, line: int) -> str:
    """Return the file without the tests, and groups of them, in which the line does not stand."""
    calls = find_test_calls(source)
    others: list[Change] = []
    for node in group_nodes(source).get("call_expression", ()):
        is_other = not node.start_point[0] < line <= node.end_point[0] + 1
        is_within = bool(others) and node.start_byte < others[-1].end
        if is_other and not is_within and calls.find(node) is not None:
            others.append(Change(node.start_byte, node.end_byte, ""))
    return apply_changes(source.text, others)
