"""Files of which a part decides: that part from base, the rest from the candidate."""

import json
import tomllib
from typing import Any

from goalkeeper.core.contract.restoring import restore_file
from tests.tables import for_each

PYPROJECT = b"""\
[project]
name = "app"
dependencies = ["requests"]

[tool.pytest.ini_options]
addopts = "-q"

[tool.other]
x = 1

[tool.coverage.report]
fail_under = 90
"""


def toml(data: bytes | None) -> dict[str, Any]:
    assert data is not None
    return tomllib.loads(data.decode())


def merged(candidate: bytes, base: bytes | None = PYPROJECT) -> dict[str, Any]:
    return toml(restore_file("pyproject.toml", base, candidate))


def test_what_has_the_same_tools_is_left_as_it_is() -> None:
    candidate = PYPROJECT.replace(b'"requests"', b'"httpx" # better\n')

    assert restore_file("pyproject.toml", PYPROJECT, candidate) == candidate


def test_tools_come_from_base_and_the_rest_from_the_candidate() -> None:
    candidate = (
        PYPROJECT.replace(b'"-q"', b'"-q --deselect tests/test_a.py"')
        .replace(b"fail_under = 90", b"fail_under = 0")
        .replace(b'"requests"', b'"httpx"')
        .replace(b"x = 1", b"x = 2")
    )

    told = merged(candidate)

    assert told["tool"]["pytest"]["ini_options"] == {"addopts": "-q"}
    assert told["tool"]["coverage"]["report"] == {"fail_under": 90}
    assert told["tool"]["other"] == {"x": 2}
    assert told["project"]["dependencies"] == ["httpx"]


def test_tables_that_the_candidate_added_or_removed() -> None:
    added = PYPROJECT + b'[tool.mypy]\nstrict = false\n[[tool.mypy.overrides]]\nmodule = "x"\n'
    removed = PYPROJECT.split(b"[tool.coverage")[0]

    assert merged(added) == toml(PYPROJECT)
    assert merged(removed) == toml(PYPROJECT)
    assert merged(PYPROJECT.split(b"[tool.pytest")[0])["tool"].keys() == {"pytest", "coverage"}


def test_a_file_that_base_does_not_have_has_no_tools() -> None:
    assert merged(PYPROJECT, None) == {
        "project": {"name": "app", "dependencies": ["requests"]},
        "tool": {"other": {"x": 1}},
    }


@for_each(
    "candidate",
    [
        b"tool.pytest.ini_options.addopts = '-k nothing'\n",
        b"[tool]\npytest = {ini_options = {addopts = '-k nothing'}}\n",
        b"  [tool.pytest.ini_options]\n  addopts = '-k nothing'\n",
        b'["tool"."pytest"."ini_options"]\naddopts = "-k nothing"\n',
        b'[tool . pytest . ini_options] # x\naddopts = "-k nothing"\n',
        b"[tool.other]\ntext = '''\n[tool.pytest.ini_options]\n'''\n",
        b"[tool.pytest.ini_options]\ntext = '''\n[project]\n'''\naddopts = '-k nothing'\n",
        b"not toml at all",
        b"\xff\xfe",
        b"a = 1\na = 2\n",
        b"tool = 3\n",
        b"[tool]\npytest = 3\n",
        b"",
    ],
)
def test_no_spelling_smuggles_tools_in(candidate: bytes) -> None:
    told = restore_file("pyproject.toml", PYPROJECT, candidate)

    if told is not None:  # else the file of the base is taken whole
        tools = toml(told)["tool"]
        assert tools["pytest"] == {"ini_options": {"addopts": "-q"}}
        assert tools["coverage"] == {"report": {"fail_under": 90}}


def test_a_base_that_cannot_be_read_is_taken_whole() -> None:
    assert restore_file("pyproject.toml", b"not toml", PYPROJECT) is None
    assert restore_file("package.json", b"not json", b"{}") is None


def test_windows_line_ends_are_no_obstacle() -> None:
    candidate = PYPROJECT.replace(b'"-q"', b'"-x"').replace(b"\n", b"\r\n")

    assert merged(candidate) == toml(PYPROJECT)


PACKAGE: dict[str, Any] = {
    "name": "app",
    "scripts": {"test": "jest"},
    "jest": {"bail": True},
    "dependencies": {"left-pad": "1"},
}


def package(candidate: object, base: object = PACKAGE) -> Any:  # noqa: ANN401  any JSON
    old = None if base is None else json.dumps(base).encode()
    told = restore_file("web/package.json", old, json.dumps(candidate).encode())
    return None if told is None else json.loads(told)


def test_scripts_come_from_base_and_the_rest_from_the_candidate() -> None:
    candidate = {
        "name": "appé",
        "scripts": {"test": "exit 0", "build": "x"},
        "mocha": {"grep": "nothing"},
        "dependencies": {"left-pad": "2"},
    }

    assert package(candidate) == {
        "name": "appé",
        "dependencies": {"left-pad": "2"},
        "scripts": {"test": "jest"},
        "jest": {"bail": True},
    }
    assert package(candidate, None) == {"name": "appé", "dependencies": {"left-pad": "2"}}


def test_a_package_with_the_same_scripts_is_left_as_it_is() -> None:
    candidate = b'{"scripts":{"test":"jest"}, "jest":{"bail":true},\n"name":"other"}'

    assert restore_file("package.json", json.dumps(PACKAGE).encode(), candidate) == candidate


@for_each("candidate", [b"", b"[]", b"3", b"{", b"null", b"[" * 100_000])
def test_what_is_no_package_is_not_merged(candidate: bytes) -> None:
    assert restore_file("package.json", json.dumps(PACKAGE).encode(), candidate) is None
