"""Reads assertions of JavaScript and TypeScript: jest, vitest, node:assert, chai, ava."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.syntax import field, line, text, walk
from goalkeeper.tamper.testing import Assertion, Details, Strictness
from goalkeeper.tamper.words import read_words
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

Values = Mapping[str, str]

MOST_TEXT = 2000  # characters of an assertion with its locals written out
_MOST_SPACED = 3 * MOST_TEXT + 16  # two of three characters may be blanks that are left out
LITERALS = {"string", "number", "template_string", "true", "false", "null", "undefined", "regex"}
_STEERING = {"end", "plan", "comment", "teardown", "test"}  # of a test, and of no value
_ASSERTING = late_pattern(
    r"\{([^{}]*)\}\s*(?:=\s*require\(|from)\s*['\"](?:node:)?(?:assert|chai)(?:/strict)?['\"]"
)
_ROOTS = {"expect", "assert", "t", "should", "chai", "expectTypeOf", "tap"}
_OF_RUNNER = late_pattern(r"(t|t\.assert|assert(?:\.strict)?)\.(\w+)")
_LOOSE = {"equal": "looseEqual", "deepEqual": "deepLooseEqual"}  # in node's own module
# What stands behind these arguments is what a failure says.
_ARITY = dict.fromkeys(("ok", "notOk", "error"), 1) | dict.fromkeys(
    ("equal", "same", "not", "notSame", "looseEqual", "deepLooseEqual"), 2
)
_CHAINED = frozenset({"call_expression", "member_expression", "subscript_expression"})
_DIRECT = late_pattern(r"\w+(\.assert)?(\.\w+|\[(['\"])\w+\3\])$")


def is_assertion(call: Node, imported: Collection[str], owner: str = "t") -> bool:
    """Return whether the call, which is no link in a chain, is the whole of one assertion.

    `imported` are assertions that its file imports by their own names, and `owner` is what the
    test calls the object that its runner gives it.
    """
    name = root_name(call)
    if name in imported and name == text(field(call, "function")):
        return True
    if name in {"expect", "expectTypeOf"}:
        return field(call, "function") is not None and text(field(call, "function")) != name
    if name in {"t", owner} and name not in _ROOTS - {"t"}:
        is_direct = _DIRECT.match(text(field(call, "function")))
        known = ("script-exact", "script-weak", "script-related")
        return bool(is_direct) and any(matcher(call) in read_words(each) for each in known)
    return (name == "assert" and matcher(call) not in _STEERING) or _is_demand(call)


def _is_demand(call: Node) -> bool:
    """Return whether the call is one such as `x.should.equal(1)`."""
    here = field(call, "function", "object")
    while here is not None and here.type in {"call_expression", "member_expression"}:
        if here.type == "member_expression" and text(field(here, "property")) == "should":
            return True
        here = field(here, "function" if here.type == "call_expression" else "object")
    return False


@remember(len)
def list_imported(written: str) -> frozenset[str]:
    """Return the assertions that a file imports by their own names."""
    imports = _ASSERTING.finditer(written)
    return frozenset(name.strip() for found in imports for name in found[1].split(",")) - {""}


def root_name(node: Node | None) -> str:
    """Return the first name of a chain, such as `expect` in `expect(x).not.toBe(1)`."""
    here = node
    while here is not None and here.type in _CHAINED:
        here = field(here, "function" if here.type == "call_expression" else "object")
    return text(here) if here is not None and here.type == "identifier" else ""


def matcher(call: Node) -> str:
    function = field(call, "function")
    if function is None or function.type == "identifier":
        return text(function)
    if function.type == "subscript_expression":  # `t["throws"](…)`, for old engines
        return text(field(function, "index")).strip("'\"")
    return text(field(function, "property"))


def render(
    node: Node, values: Values, *, blank: bool = False, used: dict[str, str] | None = None
) -> str:
    """Write the tokens of a node without comments and layout, and write out known names.

    Those that stand in it are put into `used`, because the others may change.
    """
    words, names = _read_words(_Piece(node, blank=blank))
    known = [(place, values[name]) for place, name in names if name in values]
    if known:
        words, size = list(words), 0
        for place, value in known:
            if used is not None:
                used[words[place]] = value
            words[place] = value
            size += len(value)
            if size > _MOST_SPACED:
                del words[place + 1 :]
                break
    full = " ".join(words)[:_MOST_SPACED]
    for mark in "()[].,":  # this is much faster than a pattern
        full = full.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return full[:MOST_TEXT]


class _Piece:
    """A node that is the same as another with its kind and text: both sides have most of them."""

    __slots__ = ("blank", "key", "node")

    def __init__(self, node: Node, *, blank: bool) -> None:
        self.node, self.blank = node, blank
        self.key = (node.type, text(node), blank)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Piece) and self.key == other.key


@remember(lambda piece: len(piece.key[1]))
def _read_words(piece: _Piece) -> tuple[Sequence[str], Sequence[tuple[int, str]]]:
    """Return the words of a node, as many as are shown, and where variables stand in them."""
    words: list[str] = []
    names: list[tuple[int, str]] = []
    waiting = [piece.node]
    left = _MOST_SPACED
    while waiting and left > 0:
        here = waiting.pop()
        kind = here.type
        if kind == "comment":
            continue
        if piece.blank and is_literal(here):
            word = "_"
        elif kind in LITERALS or not here.child_count:
            word = text(here)
            if kind == "identifier":
                names.append((len(words), word))
            elif kind == "string":
                word = unify_quotes(word)
        else:
            waiting.extend(reversed(here.children))
            continue
        if word.strip() and word != ";":
            words.append(word)
            left -= len(word) + 1
    return tuple(words), tuple(names)


def is_literal(node: Node | None) -> bool:
    """Return whether this is a constant, or an array or object that holds nothing else."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here is None:
            return False
        if here.type in {"array", "object", "pair", "unary_expression"}:
            waiting += [x for x in here.named_children if x.type != "property_identifier"]
        elif here.type not in LITERALS or "${" in text(here):
            return False
    return True


def unify_quotes(word: str) -> str:
    if word[:1] != "'":
        return word
    inner = word[1:-1]
    return word if '"' in inner or "\\" in inner else f'"{inner}"'


def assertion_of(
    call: Node, values: Values, *, conditional: bool = False, swallowed: bool = False
) -> Assertion:
    used: dict[str, str] = {}
    written = render(call, values, used=used)
    said = _unify_runners(call, written, used)
    subject = _find_subject(call)
    looked_at = render(subject, used) if subject is not None else said
    strength = _weigh_strength(call, matcher(call), looked_at, written, used)
    read = partial(_read_details, call, used, looked_at)
    return Assertion(
        said, strength, line(call), cache(read), conditional=conditional, swallowed=swallowed
    )


def _read_details(call: Node, values: Values, looked_at: str) -> Details:
    name, arguments, nodes = matcher(call), field(call, "arguments"), list(walk(call))
    return Details(
        _unify_runners(call, render(call, values, blank=True), values, blank=True),
        looked_at,
        _find_slack(name, arguments),
        _find_pattern(name, arguments),
        names=frozenset(text(n) for n in nodes if n.type in {"identifier", "property_identifier"}),
        literals=frozenset(unify_quotes(text(n)) for n in nodes if n.type in LITERALS),
    )


def _unify_runners(call: Node, said: str, values: Values, *, blank: bool = False) -> str:
    """Write an assertion of tap, tape, ava or node in the same words, without its message."""
    found = _OF_RUNNER.match(said)
    if found is None or said[found.end() : found.end() + 1] != "(":
        return said
    verb = _LOOSE.get(found[2], found[2]) if "assert" in found[1] else found[2]
    verb = dict(each.split() for each in read_words("script-synonym")).get(verb, verb)
    arguments = field(call, "arguments")
    given = arguments.named_children if arguments is not None else []
    given = [each for each in given if each.type != "comment"][: _ARITY.get(verb)]
    return f"t.{verb}({','.join(render(each, values, blank=blank) for each in given)})"


def _find_subject(call: Node) -> Node | None:
    """Find the subject: what `expect` was given, or the first argument."""
    if root_name(call) in {"expect", "expectTypeOf"}:
        here: Node | None = call
        while here is not None and text(field(here, "function")) not in {"expect", "expectTypeOf"}:
            here = field(here, "function" if here.type == "call_expression" else "object")
        arguments = field(here, "arguments") if here is not None else None
    else:
        arguments = field(call, "arguments")
    given = arguments.named_children if arguments is not None else []
    return given[0] if given else None


def _weigh_strength(call: Node, name: str, subject: str, said: str, values: Values) -> Strictness:
    literal = re.fullmatch(r"(true|false|null|\d+|\"[^\"]*\")", subject)
    is_exact, is_weak = name in read_words("script-exact"), name in read_words("script-weak")
    if literal or name == "pass" or re.search(r"\|\| true\b", subject):
        return Strictness.NOTHING
    is_same = False
    if is_exact and (said.endswith(f"{subject})") or len(said) >= MOST_TEXT):
        given = field(call, "arguments")
        arguments = render(given, values) if given is not None else ""
        match root_name(call):
            case "expect" | "expectTypeOf":
                is_same = arguments[1:-1] == subject
            case "assert":
                is_same = bool(re.fullmatch(r"\((.+),\1\)", arguments))
            case _:
                pass
    if is_exact and is_same:
        return Strictness.NOTHING
    if ".not." in text(field(call, "function")):
        is_weak, is_exact = is_weak or is_exact or name == "toThrow", False
    elif name in {"ok", "assert", "truthy"} and re.search(r"[=!]==?", subject):
        is_exact = True
    if is_exact:
        return Strictness.EQUALITY
    return Strictness.TRUTH if is_weak else Strictness.RELATION


def _find_slack(name: str, arguments: Node | None) -> tuple[tuple[str, float], ...]:
    given = [text(node) for node in arguments.named_children] if arguments is not None else []
    if name == "toBeCloseTo":
        digits = given[1] if len(given) > 1 else "2"
        return (("digits", -float(digits)),) if digits.isdigit() else (("digits", 0.0),)
    if name in {"closeTo", "approximately"} and given:
        number = re.fullmatch(r"\d+(\.\d+)?(e-?\d+)?", given[-1])
        return (("difference", float(given[-1])),) if number else ()
    return ()


def _find_pattern(name: str, arguments: Node | None) -> str:
    if name in {"toMatch", "match", "matches", "regex", "toThrow", "toThrowError", "throws"}:
        given = arguments.named_children if arguments is not None else []
        given = [_find_message(node) or node for node in given]
        return next((text(node).strip("/\"'`") for node in given if node.type in LITERALS), "")
    return ""


def _find_message(node: Node) -> Node | None:
    """Return what an error must say.

    That may be `{ message: /…/ }`, `new Error("…")`, or `error => error.message === "…"`.
    """
    if node.type == "new_expression":
        given = field(node, "arguments")
        return (
            next((each for each in given.named_children if is_literal(each)), None)
            if given
            else None
        )
    body = field(node, "body") if node.type == "arrow_function" else None
    if body is not None and text(field(body, "operator")) == "===":
        return field(body, "right") if is_literal(field(body, "right")) else None
    pairs = node.named_children if node.type == "object" else []
    values = (field(each, "value") for each in pairs if text(field(each, "key")) == "message")
    return next(values, None)
