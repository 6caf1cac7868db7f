"""Changes what an assertion of JavaScript expects, so that it fails on what passed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.spoiling.edits import Change
from goalkeeper.tamper.spoiling.script.files import find_read_file
from goalkeeper.tamper.spoiling.script.libraries import Libraries, Make
from goalkeeper.tamper.spoiling.script.scope import ScriptScope
from goalkeeper.tamper.spoiling.script.values import SCALARS, Changes, ScriptValues
from goalkeeper.tamper.spoiling.script.words import (
    is_call_word,
    is_chain_word,
    is_sync_word,
)
from goalkeeper.tamper.syntax import field, text
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_MATCHED = frozenset({"regex", "string", "template_string"})
_CHAINED = frozenset({"call_expression", "member_expression", "non_null_expression"})


class SpoiltAssertion(Value):
    """What to change for an assertion to fail. Some only count if the test waits for them."""

    changes: Changes
    is_later: bool = False
    golden: str = ""  # this file has to be spoilt, and nothing else


class _Chain(Value):
    """`expect(x).to.not.be.equal(3)`: the words, and what the last of them is given."""

    node: Node
    words: tuple[Node, ...]  # from the left
    given: tuple[Node, ...]
    is_called: bool
    calls: int  # how many of the words are called


class AssertionSpoiler:
    def __init__(
        self, path: str, scope: ScriptScope, libraries: Libraries, values: ScriptValues
    ) -> None:
        self._path = path
        self._scope = scope
        self._libraries = libraries
        self._values = values
        self.expected: set[int] = set()  # where names stand that are compared with

    def spoil(self, node: Node) -> SpoiltAssertion | None:
        """Return None for what is no assertion, or none whose failure would be sure."""
        chain = self._read_chain(node)
        if chain is not None:
            return self._spoil_chain(chain)
        if node.type != "call_expression":
            return None
        found = self.read_call(node)
        return self._spoil_call(node, *found) if found is not None else None

    def list_compared(self, node: Node) -> list[Node]:
        """Return names and members that the assertion compares with, and nothing else of them."""
        chain = self._read_chain(node)
        if chain is not None:
            words = {text(each) for each in chain.words}
            is_equal = is_chain_word("equal", text(chain.words[-1])) and "not" not in words
            given = list(chain.given[:1]) if is_equal else []
        else:
            found = self.read_call(node) if node.type == "call_expression" else None
            given = (
                arguments_of(node)[1:2]
                if found is not None and is_call_word("equal", found[1])
                else []
            )
        return [each for each in given if each.type in {"identifier", "member_expression"}]

    def read_call(self, call: Node) -> tuple[Make, str] | None:
        """Return who made the function that is called, and its name there."""
        function = field(call, "function")
        names: list[str] = []
        here = function
        while here is not None and here.type == "member_expression":
            names.insert(0, text(field(here, "property")))
            here = field(here, "object")
        if here is None or here.type != "identifier":
            return None
        found = self._libraries.find_make(here)
        if found is None:
            return None
        make, own = found
        while names and names[0] in {"assert", "strict"} and (own != "context" or len(names) > 1):
            names.pop(0)
            own = "" if own == "context" else own
        if own == "context" and make is Make.NODE:
            return None
        if own and own != "context":
            return (make, own) if not names else None
        if not names:
            is_plain = make in {Make.NODE, Make.CHAI, Make.ANY} and own == ""
            return (make, "ok") if is_plain else None
        return (make, names[0]) if len(names) == 1 else None

    def _spoil_call(self, call: Node, make: Make, name: str) -> SpoiltAssertion | None:
        given = [each for each in arguments_of(call) if each.type != "comment"]
        if not given or any(each.type == "spread_element" for each in given):
            return None
        changes: Changes = ()
        if is_call_word("equal", name) and len(given) > 1:
            if golden := self._find_golden(given[1]) or self._find_golden(given[0]):
                return SpoiltAssertion((), golden=golden)
            changes = self._change_equal(given[0], given[1])
        elif is_call_word("true", name):
            changes = self._change_truth(given[0])
        elif is_call_word("false", name):
            changes = self._values.make_true(given[0])
        elif is_call_word("far", name) and len(given) > 1:
            changes = self._change_literal(given[1], far=True)
        elif is_call_word("third", name) and len(given) > 2:  # noqa: PLR2004
            changes = self._change_expected(given[2])
        elif is_call_word("match", name) and len(given) > 1 and given[1].type in _MATCHED:
            changes = self._change_literal(given[1], far=True)
        elif is_call_word("class", name) and len(given) > 1:
            changes = self._change_class(given[1])
        elif is_call_word("throw", name):
            changes = self._change_thrown(make, given[1:])
        changes = changes or self._let_fail(call, name)
        return SpoiltAssertion(changes, is_call_word("later", name)) if changes else None

    @staticmethod
    def _let_fail(call: Node, name: str) -> Changes:
        """Let fail what asks for too little: its opposite may hold when another test has failed."""
        function = field(call, "function")
        if function is None or function.type != "member_expression":
            return ()
        word = field(function, "property")
        is_known = word is not None and is_call_word("loose", name)
        return (Change(word.start_byte, word.end_byte, "fail"),) if word and is_known else ()

    def _change_equal(self, got: Node, wanted: Node) -> Changes:
        """Change one side of an equation. Some write the expected value first."""
        found = self._change_literal(wanted) or self._change_sources(wanted)
        if not found and got.type in SCALARS:
            found = self._change_literal(got)
        return found or self._values.wrap(wanted)

    def _change_expected(self, wanted: Node) -> Changes:
        return (
            self._change_literal(wanted)
            or self._change_sources(wanted)
            or self._values.wrap(wanted)
        )

    def _change_literal(self, node: Node, *, far: bool = False) -> Changes:
        return self._values.change(node, far=far)

    def _change_sources(self, wanted: Node) -> Changes:
        """Change the values that a name has, if it is only compared with."""
        sources = self.find_sources(wanted)
        found = [self._values.change(each) for each in sources]
        return tuple(each for one in found for each in one) if all(found) else ()

    def _find_golden(self, wanted: Node) -> str:
        """Return the expected file that is compared with, if the test names it only there."""
        sources = self.find_sources(wanted) if wanted.type == "identifier" else [wanted]
        found = find_read_file(sources[0], self._path) if len(sources) == 1 else ""
        name = found.rpartition("/")[2]
        return found if found and text(self._scope.top).count(name) == 1 else ""

    def find_sources(self, wanted: Node) -> list[Node]:
        if wanted.type == "member_expression":
            return self._find_member_sources(wanted)
        declared = self._scope.find_declaration(wanted) if wanted.type == "identifier" else None
        if declared is None:
            return []
        uses = {each.start_byte for each in self._scope.find_uses(declared)}
        return (self._scope.find_sources(declared) or []) if uses <= self.expected else []

    def _find_member_sources(self, wanted: Node) -> list[Node]:
        """Return what `row.expected` stands for, where rows are only asked for members."""
        holder, name = field(wanted, "object"), text(field(wanted, "property"))
        is_plain = holder is not None and holder.type == "identifier"
        declared = self._scope.find_declaration(holder) if holder and is_plain else None
        if declared is None:
            return []
        for use in self._scope.find_uses(declared):
            parent = use.parent
            is_member = parent is not None and parent.type == "member_expression"
            if parent is None or not is_member or field(parent, "object") != use:
                return []
            if text(field(parent, "property")) == name and parent.start_byte not in self.expected:
                return []
        sources = self._scope.find_sources(declared) or []
        found = [self._scope.get_part(each, name) for each in sources]
        return [each for each in found if each is not None] if all(found) else []

    def _change_truth(self, condition: Node) -> Changes:
        """Change `a === 3`, or make a condition false."""
        operator = text(field(condition, "operator"))
        if condition.type == "binary_expression" and operator in {"==", "==="}:
            sides = [field(condition, "right"), field(condition, "left")]
            for side in sides:
                if side is not None and side.type in SCALARS:
                    return self._change_literal(side)
        return self._values.make_false(condition)

    def _change_class(self, node: Node) -> Changes:
        last = text(field(node, "property") or node)
        is_named = node.type in {"identifier", "member_expression"} and last[:1].isupper()
        return self._values.derive_class(node) if is_named else ()

    def _change_thrown(self, make: Make, given: list[Node]) -> Changes:
        """Change what is said of an error. For node, a text there is only a message."""
        told = given[0] if given else None
        if told is None:
            return ()
        if told.type in {"string", "template_string"}:
            return self._change_literal(told, far=True) if make in {Make.CHAI, Make.EXPECT} else ()
        if told.type in {"regex", "object", "new_expression"}:
            has_scalars = told.type != "object" or any(
                field(each, "value") is not None and field(each, "value").type in SCALARS  # type: ignore[union-attr]
                for each in told.named_children
            )
            return self._change_literal(told) if has_scalars else ()
        return self._change_class(told)

    def _read_chain(self, node: Node) -> _Chain | None:
        """Read a whole chain on `expect(…)`, or on `.should`; None if this is another thing."""
        if node.type not in _CHAINED or (node.parent and node.parent.type == "member_expression"):
            return None
        given = arguments_of(node) if node.type == "call_expression" else []
        words: list[Node] = []
        calls = 0
        here: Node | None = node
        while here is not None and here.type in _CHAINED:
            if here.type == "member_expression":
                word, inner = field(here, "property"), field(here, "object")
                if text(word) == "should" and words:
                    return _make_chain(node, words, given, calls)
                words += [word] if word is not None else []
                here = inner
                continue
            function = field(here, "function")
            if function is not None and self.is_expect(function):
                return _make_chain(node, words, given, calls)
            calls += 1
            here = function
        return None

    def is_expect(self, function: Node) -> bool:
        """Return whether this is `expect`, `expect.soft` or `chai.expect`."""
        name = function
        if function.type == "member_expression":
            holder, word = field(function, "object"), text(field(function, "property"))
            if holder is None or holder.type != "identifier" or word not in {"soft", "expect"}:
                return False
            found = self._libraries.find_make(holder)
            wanted = (Make.EXPECT, "expect") if word == "soft" else (Make.CHAI, "")
            return found == wanted
        return name.type == "identifier" and self._libraries.find_make(name) == (
            Make.EXPECT,
            "expect",
        )

    def _spoil_chain(self, chain: _Chain) -> SpoiltAssertion | None:
        words = [text(each) for each in chain.words]
        name, given = words[-1], chain.given
        is_later = any(is_chain_word("later", each) for each in words)
        if any(each.type == "spread_element" for each in given):
            return None
        is_plain = chain.is_called and "not" not in words
        is_equal = is_plain and bool(given) and is_chain_word("equal", name)
        if is_equal and (golden := self._find_golden(given[0])):
            return SpoiltAssertion((), is_later, golden)
        changes = self._change_matched(name, words, given) if is_plain else ()
        changes = changes or self._ask_for_nothing(chain)
        return SpoiltAssertion(changes, is_later) if changes else None

    def _change_matched(self, name: str, words: list[str], given: tuple[Node, ...]) -> Changes:
        if not given or "any" in words:
            return ()
        if name in {"toHaveProperty", "property"} and "nested" not in words:
            if len(given) > 1:
                return self._change_expected(given[1])
            return self._change_literal(given[0], far=True)
        if name in {"toMatchInlineSnapshot", "toThrowErrorMatchingInlineSnapshot"}:
            last = given[-1]
            return self._change_literal(last) if last.type in {"string", "template_string"} else ()
        if is_chain_word("equal", name):
            return self._change_equal(given[0], given[0])
        if is_chain_word("far", name):
            return self._change_literal(given[0], far=True)
        if is_chain_word("called", name):
            return tuple(
                c
                for each in given
                if each.type in SCALARS
                for c in self._change_literal(each, far=True)
            )
        if is_chain_word("match", name):
            return self._change_literal(given[0], far=True)
        return self._change_thrown(Make.EXPECT, list(given)) if is_chain_word("throw", name) else ()

    def _ask_for_nothing(self, chain: _Chain) -> Changes:
        """Replace the last word. Where several are called, it is not clear what `not` is for."""
        first, denied = chain.words[-1], [each for each in chain.words if text(each) == "not"]
        is_unclear = bool(denied) and chain.calls != chain.is_called
        if not _is_replaceable(chain) or is_unclear:
            return ()
        asked = self._values.ask_for_nothing(first, chain.node)
        dots = [Change(_dot_of(e.parent), e.end_byte, "") for e in denied if e.parent is not None]
        return (*dots, asked)


def _make_chain(node: Node, words: list[Node], given: list[Node], calls: int) -> _Chain | None:
    told = tuple(each for each in given if each.type != "comment")
    is_called = node.type == "call_expression"
    return _Chain(node, tuple(reversed(words)), told, is_called, calls) if words else None


def _is_replaceable(chain: _Chain) -> bool:
    name = text(chain.words[-1])
    return is_sync_word(name) if chain.is_called else is_chain_word("fact", name)


def _dot_of(member: Node) -> int:
    """Return where the dot stands, with what is before it on its own line."""
    return next(
        (each.start_byte for each in member.children if each.type in {".", "optional_chain"}),
        member.end_byte,
    )
