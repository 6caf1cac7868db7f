"""The examples in the files of words, which are the tests of their lists."""

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from importlib import resources
from typing import Any

from goalkeeper.core.claims.flaws import find_bare_assertions, find_hedges
from goalkeeper.core.claims.reading import ClaimClass, read_text
from goalkeeper.core.claims.scan import find_claims
from goalkeeper.core.claims.word_lists import read_signs
from tests.tables import for_each

PACKAGE = resources.files("goalkeeper.core.claims")
FILES: dict[str, dict[str, Any]] = {
    file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
    for file in PACKAGE.joinpath("words").iterdir()
}
CODE = "".join(file.read_text() for file in PACKAGE.iterdir() if file.name.endswith(".py"))
SIGNS = [
    (file, sign, entry)
    for file, tables in FILES.items()
    if "sign" in tables
    for sign, entry in zip(read_signs(file), tables["sign"], strict=True)
]


def words_of_claims(kind: ClaimClass, text: str) -> list[str]:
    return [claim.matched for claim in find_claims(text) if claim.kind is kind]


FINDERS: dict[str, Callable[[str], list[str]]] = {
    **{kind.value: partial(words_of_claims, kind) for kind in ClaimClass},
    "hedge": lambda text: [flaw.matched for flaw in find_hedges(text)],
    "form": lambda text: [flaw.message.split(":")[0] for flaw in find_bare_assertions(text)],
    "sentences": lambda text: [
        mode.value for s in read_text(text).sentences for mode in s.modality
    ],
    "files": lambda text: [mention.path for mention in read_text(text).mentions],
}


def examples(key: str) -> Iterator[tuple[str, Any]]:
    for file, tables in FILES.items():
        for table in (tables.get("examples", {}), *tables.get("sign", ())):
            yield from ((file, example) for example in table.get(key, ()))


def entries() -> Iterator[dict[str, object]]:
    for tables in FILES.values():
        yield from (*tables.get("sign", ()), *tables.get("field", ()))


@for_each(("file", "example"), examples("found"))
def test_what_an_example_shows_is_found(file: str, example: str | list[str]) -> None:
    if isinstance(example, str):
        assert FINDERS[file](example)
    else:
        text, found = example
        assert FINDERS[file](text) == [found]


@for_each(("file", "text"), examples("not_found"))
def test_in_an_example_of_something_else_nothing_is_found(file: str, text: str) -> None:
    assert FINDERS[file](text) == []


def test_a_sign_is_seen_in_its_own_examples() -> None:
    for file, sign, entry in SIGNS:
        assert entry["found"], (file, entry)
        for text in entry["found"]:
            assert sign.pattern.search(read_text(text).view), (file, text)


def test_every_file_has_examples_of_what_it_finds_and_of_what_it_does_not() -> None:
    for key in ("found", "not_found"):
        assert {file for file, _ in examples(key)} == FILES.keys() - {"shared"}
    assert FINDERS.keys() == FILES.keys() - {"shared"}


def test_an_entry_has_no_key_that_nobody_reads() -> None:
    known = {"pattern", "unless", "found", "not_found"}

    assert [entry for entry in entries() if entry.keys() - known] == []
    assert {table for tables in FILES.values() for table in tables} == {
        "words", "patterns", "sign", "field", "examples",
    }  # fmt: skip


def test_every_list_is_used_and_has_a_name_of_its_own() -> None:
    names = {file: [*t["words"], *t.get("patterns", {})] for file, t in FILES.items()}
    used = {file: set(re.findall(r"\{([A-Z_]+)\}", str(tables))) for file, tables in FILES.items()}
    called = set(re.findall(r'"([A-Z_]+)"\)', CODE))

    for file, own in names.items():
        wanted = set().union(*used.values()) if file == "shared" else used[file]
        others = [] if file == "shared" else names["shared"]
        assert len({*own, *others}) == len(own) + len(others), file
        assert set(own) <= wanted | called, file
