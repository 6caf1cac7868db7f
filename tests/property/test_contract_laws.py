"""Laws of contracts: what is written is read, the same words have the same digest, none crash."""

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.contract.document import Contract, read_plain, read_text
from goalkeeper.wire.canonical import compact
from tests.property.strategies import json_values

Plain = dict[str, Any]

letters = st.text(
    st.characters(codec="utf-8", categories=["L", "M", "N", "P", "S", "Zs"]), max_size=10
)
texts = letters.map(lambda text: f"a{text}")
words = st.sampled_from(["make", ".", "--", "", "-k", "né", "a b", "'", '"', "#", "&x", "*y", "!z"])
names = st.sampled_from(["src", "a.py", "tests", "with space", "né", "**", "*.py", ".github"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
path_lists = st.lists(paths, min_size=1, max_size=2)
patterns = st.sampled_from(["^ok$", "def reject", r"\d+ passed", "x{2}", "a|b", "né"])
whole = st.integers(1, 1000)
bounds = st.integers(-5, 5) | st.floats(-5, 5)
answers = st.sampled_from(["x", "1", 0, 1.5, True, False, "null", "né"]) | st.builds(
    lambda: {"a": [None, {"b": 1}], "1": []}
)
argv = st.lists(words, max_size=3).map(lambda more: ["./run", *more])


def mapping(required: dict[str, st.SearchStrategy[Any]], **optional: st.SearchStrategy[Any]) -> Any:  # noqa: ANN401
    return st.fixed_dictionaries(required, optional=optional)


process: dict[str, st.SearchStrategy[Any]] = {
    "timeout": whole,
    "env": st.dictionaries(st.sampled_from(["A", "B_C", "né"]), letters, max_size=2),
    "cwd": paths,
}
counts: dict[str, st.SearchStrategy[Any]] = {"min_tests": whole, "max_skips": whole}
expected: dict[str, st.SearchStrategy[Any]] = {
    "exit": st.integers(0, 255), "stdout": patterns, "stderr": patterns,
}  # fmt: skip
contain = st.lists(mapping({"path": paths, "pattern": patterns}), min_size=1, max_size=2)
checks: st.SearchStrategy[Plain] = st.one_of(
    mapping({"command": argv}, **expected, **process),
    mapping({"shell": st.sampled_from(["make test", "a && b"])}, **expected, **process),
    mapping({"pytest": path_lists | paths}, args=st.lists(words, max_size=3), **counts, **process),
    mapping({"junit": argv, "report": paths}, **counts, **process),
    mapping({"tap": argv}, **counts, **process),
    mapping({"metric": argv, "min": bounds}, max=bounds, pattern=patterns, **process),
    mapping({"file": st.sampled_from(["a", "b/*.csv"])}, contains=patterns, max_count=whole),
    mapping({"expected_paths": path_lists}, min_file_count=whole),
    mapping({"forbidden_paths": path_lists | paths}),
    mapping({"must_contain": contain}),
    mapping({"commit_message_pattern": patterns}, min_count=whole),
    mapping({"git": st.sampled_from(["commits", "clean"])}, grep=patterns, paths=path_lists),
    mapping({"json": paths, "field": texts}, equals=answers, min=bounds, min_count=whole),
    mapping({"jsonl": paths}, field=texts, equals=answers, max_count=whole),
    mapping({"question": texts}),
    mapping({"manual": texts}),
)
criteria = mapping(
    {"text": texts, "check": checks},
    paths=path_lists,
    guard=st.booleans(),
    held_out=st.just("/srv/x") | st.builds(lambda: ["~/y", "/z"]),
)
numbered = st.lists(criteria, max_size=4).map(
    lambda each: [{"id": f"C{n}", **told} for n, told in enumerate(each, 1)]
)
contracts: st.SearchStrategy[Plain] = mapping(
    {},
    criteria=numbered,
    manifest=mapping(
        {}, expected_paths=path_lists, min_file_count=whole, commit_message_pattern=patterns,
        bash_syntax_check=path_lists, forbidden_paths=path_lists, must_contain=contain,
    ),
    scope=mapping({}, touch=path_lists, never=path_lists),
    may_change=st.lists(texts, max_size=2),
    depends_on=st.lists(st.sampled_from(["G001", "G002"]), max_size=2),
    outcomes=st.lists(texts, max_size=2),
    outcomes_agent_leg=st.lists(texts, max_size=2),
    user_leg_scope=texts,
    participants=st.lists(st.sampled_from(["agent", "user"]), max_size=2),
)  # fmt: skip


def read(plain: Plain) -> Contract:
    made = read_plain(plain)
    assert isinstance(made, Contract), made
    return made


def turned(value: object) -> object:
    """The same, with the names in every mapping the other way round."""
    if isinstance(value, dict):
        return {name: turned(item) for name, item in reversed(value.items())}
    return [turned(item) for item in value] if isinstance(value, list) else value


@given(contracts)
def test_a_contract_is_the_same_as_data_and_as_yaml(plain: Plain) -> None:
    made = read(plain)

    for flow in (True, False):
        written = yaml.safe_dump(plain, default_flow_style=flow, allow_unicode=True)
        assert read_text(written) == made


@given(contracts)
def test_a_contract_is_read_back_from_what_is_frozen(plain: Plain) -> None:
    made = read(plain)

    assert read(dict(made.plain)) == made
    frozen = json.loads(compact(made.plain))
    assert frozen == made.plain
    assert read(frozen).digest == made.digest


@given(contracts)
def test_the_order_of_names_does_not_matter(plain: Plain) -> None:
    other = turned(plain)
    assert isinstance(other, dict)

    assert read(other).digest == read(plain).digest


@given(contracts, contracts)
def test_contracts_with_the_same_digest_say_the_same(one: Plain, other: Plain) -> None:
    same = read(one).digest == read(other).digest

    assert same == (json.dumps(read(one).plain, sort_keys=True)
                    == json.dumps(read(other).plain, sort_keys=True))  # fmt: skip


LINES = (
    "criteria:", "- id: C1", "  id: C2", "  text: it holds", "  text: |", "  check: {pytest: a}",
    "  check:", "    command: [make, test]", "    shell: x || true", "    exit: 300", "scope: {",
    "  touch: [a, ../b]", "}", "a: &a [*a]", "a: !!set {x}", "? x", ": y", "---", "...", "<<: {}",
    "criteria: [{}, [], 1, null]", "manifest: {must_contain: [{}]}", "'", '"', "\t", "", "%YAML 9",
    "depends_on: [G001]", "equals: 0x" + "f" * 4000, "x: 1e999", "x: -.inf", "x: 12:30", "x: ~",
)  # fmt: skip
odd = st.lists(st.sampled_from(LINES) | st.text(max_size=20), max_size=12).map("\n".join)


@given(odd | st.text(), st.integers(1, 1000))
def test_any_text_is_a_contract_or_has_problems_with_lines(text: str, first: int) -> None:
    made = read_text(text, first)

    if not isinstance(made, Contract):
        assert made
        lines = [int(problem.where.removeprefix("line ")) for problem in made]
        assert lines == sorted(lines)
        assert lines[0] >= first


@given(st.dictionaries(st.sampled_from(
    ["criteria", "manifest", "scope", "may_change", "depends_on", "outcomes", "participants", "x"]
), json_values | st.lists(st.dictionaries(st.sampled_from(
    ["id", "text", "check", "paths", "guard", "held_out", "x"]
), json_values)), max_size=3))  # fmt: skip
def test_any_data_is_a_contract_or_has_problems(plain: Plain) -> None:
    made = read_plain(plain)

    assert isinstance(made, Contract) or (made and all(map(str, made)))


@given(st.sampled_from(["command", "metric", "file", "git", "must_contain", "http", "json"]),
       json_values, st.dictionaries(st.sampled_from(
           ["exit", "stdout", "min", "max", "is", "contains", "url", "equals", "field", "env"]
       ), json_values, max_size=3))  # fmt: skip
def test_any_check_is_read_or_has_problems(kind: str, main: object, options: Plain) -> None:
    check = {kind: main, **options}

    made = read_plain({"criteria": [{"id": "C1", "text": "t", "check": check}]})

    assert isinstance(made, Contract) or (made and all(map(str, made)))
