"""Commands in tests that ask the product, and the literals that they give to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from goalkeeper.core.shipped import read_tables
from goalkeeper.tamper.questions.sh.places import ScriptPlaces
from goalkeeper.tamper.spoiling.sh.words import has_expansion
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_PIECES = frozenset({"word", "number", "raw_string", "string_content"})
_OUTPUT = frozenset({">", ">>", "&>", "&>>", ">|"})
_EXPANSIONS = frozenset({"simple_expansion", "expansion"})
_LINE = late_pattern(r"""['"]%s\\n['"]""")
_FED_ALL = late_pattern(r"""printf ['"]%s\\n['"] "\$@" \|""")
_NOT_PLAIN = frozenset({"process_substitution", "heredoc_redirect", "ERROR"})


@cache
def list_words(kind: str) -> frozenset[str]:
    words: str = read_tables(__package__, "words.toml")["words"][kind]
    return frozenset(words.split())


class ShellCommandReader:
    def __init__(self, functions: Mapping[str, Node], places: ScriptPlaces) -> None:
        self._functions = functions
        self._places = places

    def can_be_asked(self, asked: Node) -> bool:
        """Return whether a substitution needs nothing but the tree, and asks the product."""
        used = self.list_functions(asked)
        bodies = [asked, *(self._functions[name] for name in used)]
        if any(node.type in _NOT_PLAIN for node in walk(asked)):
            return False
        for node in walk(asked):
            if node.type in _EXPANSIONS and self._places.resolve(text(node)) is None:
                return False
        commands = [each for body in bodies for each in find_commands(body)]
        names = [self._name_of(each) for each in commands]
        if any(name in list_words("changing") for name in names):
            return False
        if any(map(_writes_file, bodies)):
            return False
        return any(self._asks_product(each) for each in commands)

    def list_functions(self, asked: Node) -> list[str]:
        """Return the functions of the script that a command needs, each after those it calls."""
        found: dict[str, None] = {}
        waiting = [asked]
        while waiting:
            for each in find_commands(waiting.pop()):
                name = self._name_of(each)
                if name in self._functions and name not in found:
                    found[name] = None
                    waiting.append(self._functions[name])
        return list(found)

    def _name_of(self, command: Node) -> str:
        name = field(command, "name")
        return (self._places.resolve(text(name)) or "") if name is not None else ""

    def _asks_product(self, command: Node) -> bool:
        name = self._name_of(command)
        if name in list_words("shells"):
            words = [self._places.resolve(text(each)) for each in command.named_children[1:]]
            return any(word and "/" in word for word in words)
        return bool(name) and name not in self._functions and name not in list_words("standard")

    def find_starts(self, body: Node) -> list[int] | None:
        """Return where the product's functions are called; None if a call may leave variables."""
        found = []
        for command in find_commands(body):
            name = field(command, "name")
            is_path = "/" in self._name_of(command) or self._name_of(command) in list_words(
                "shells"
            )
            if name is None or is_path or not self._asks_product(command):
                continue
            if command.named_children[0].id != name.id or not _is_part(command):
                return None
            found.append(command.start_byte)
        return found

    def find_inputs(self, asked: Node) -> list[Node]:
        """Return the pieces of literals that are given to the product."""
        found: list[Node] = []
        for command in find_commands(asked):
            name = self._name_of(command)
            is_fed = name in list_words("feeding")
            if not (is_fed or name in self._functions or self._asks_product(command)):
                continue
            words = [each for each in command.named_children[1:] if _is_argument(each)]
            words = words[1:] if name == "printf" and len(words) > 1 else words
            if name in list_words("shells"):
                words = words[1:]
            found += [piece for each in words for piece in _find_pieces(each)]
        return [each for each in found if any(map(_is_sign, text(each)))]

    def find_items(self, asked: Node) -> list[Node]:
        """Return the words of a list, each of which becomes a line; nothing if there is none."""
        command = next(find_commands(asked), None)
        if command is None:
            return []
        name, words = self._name_of(command), command.named_children[1:]
        if name == "printf" and words and _LINE.fullmatch(text(words[0])):
            return words[1:]
        body = self._functions.get(name)
        return words if body is not None and _FED_ALL.search(text(body)) else []


def find_commands(node: Node) -> Iterator[Node]:
    return (each for each in walk(node) if each.type == "command")


def _is_part(command: Node) -> bool:
    """Return whether a command is a part of a pipe, or all that a substitution or function does."""
    node = command
    while node.parent is not None and node.parent.type == "redirected_statement":
        node = node.parent
    around = node.parent
    if around is None or around.type == "pipeline":
        return around is not None
    is_whole = around.type in {"command_substitution", "compound_statement"}
    return is_whole and len(around.named_children) == 1


def _is_argument(word: Node) -> bool:
    is_word = word.type in {"word", "number", "raw_string", "string", "concatenation"}
    return is_word and not text(word).startswith("-") and "redirect" not in word.type


def _find_pieces(word: Node) -> Iterator[Node]:
    if not has_expansion(word):
        yield from (each for each in walk(word) if each.type in _PIECES)


def _is_sign(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()


def _writes_file(node: Node) -> bool:
    for each in walk(node):
        if each.type == "file_redirect" and _OUTPUT & {child.type for child in each.children}:
            target = field(each, "destination")
            if text(target) != "/dev/null":
                return True
    return False
