"""What the process of tests makes of answers that no process of ours would give."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.witness.across.imports import ProductNames
from goalkeeper.witness.across.judge import JudgeSide, ProductLost
from tests.tables import for_each


class Judge:
    """The tests' side, and the other end of its pipe."""

    def __init__(self, folder: Path, ours: socket.socket, theirs: socket.socket) -> None:
        told = {"asking": ours.detach(), "root": str(folder), "held_out": "held_out"}
        self.side = JudgeSide(str(folder), {**told, "names": {}, "known": {}})
        self._theirs = theirs
        self._asked = 0

    def ask(self, *answers: object) -> Any:  # noqa: ANN401
        """Ask for something; these lines are the answer to it and to what is asked after it."""
        self._asked += 1
        answers = tuple(
            {"id": self._asked, **line} if isinstance(line, dict) else line for line in answers
        )
        lines = [json.dumps(line) if isinstance(line, dict) else str(line) for line in answers]
        self._theirs.sendall("".join(f"{line}\n" for line in lines).encode())
        return self.side.ask_product("get", on=1, name="x")

    def close(self) -> None:
        self.side.close()
        self._theirs.close()

    def read_messages(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._theirs.recv(1 << 20).splitlines()]


@pytest.fixture
def make_judge() -> Iterator[Callable[[Path], Judge]]:
    made: list[Judge] = []

    def make(folder: Path) -> Judge:
        made.append(Judge(folder, *socket.socketpair()))
        return made[-1]

    yield make
    for judge in made:
        judge.close()


OPEN = ["named", "io", "FileIO"]


@for_each(
    "answer",
    [
        "no json",
        [1],
        {},
        {"value": {"a": 1}},
        {"value": ["decimal", "x"]},
        {"value": ["back", 99]},
        {"value": ["unheard-of", 1]},
        {"value": ["named", "builtins", "eval"]},
        {"value": ["named", "goalkeeper.witness.across.judge", "ProductLost"]},
        {"value": ["object", 6, OPEN, ["tuple", "{file}", "w"]]},
        {"value": ["shared", 7, 1]},
        {"error": 5},
        {"error": ["error", 5, OPEN, ["tuple", "{file}", "w"], "", ["dict"]]},
        {"value": 1, "changed": [[0, 1]]},
        {"value": 1, "logged": [["a", "b", "c"]]},
    ],
)
def test_an_answer_that_no_product_gives_ends_the_conversation(
    answer: Any,  # noqa: ANN401
    make_judge: Callable[[Path], Judge],
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("whole")
    judge = make_judge(tmp_path)
    text = json.dumps(answer).replace("{file}", str(tmp_path / "file"))

    with pytest.raises(ProductLost):
        judge.ask(json.loads(text))
    with pytest.raises(ProductLost):
        judge.ask({"value": 1})

    assert (tmp_path / "file").read_text() == "whole"
    assert "failed" in (tmp_path / "notes").read_text()


def test_the_product_reads_of_what_it_was_handed_no_more_than_is_meant_for_it(
    make_judge: Callable[[Path], Judge], tmp_path: Path
) -> None:
    class Fake:
        shown = 3
        _own = 4

    numbers = (number for number in [1])
    judge = make_judge(tmp_path)
    given = [judge.side.export(each) for each in (len, lambda: 1, numbers, Fake())]
    asked = [
        *({"ask": "get", "on": on, "name": "__globals__"} for on in given),
        {"ask": "get", "on": given[2], "name": "gi_frame"},
        {"ask": "get", "on": given[3], "name": "_own"},
        {"ask": "get", "on": given[3], "name": "__class__"},
        {"ask": "do", "on": given[1], "name": "__getattribute__", "args": ["__globals__"]},
        {"ask": "do", "on": given[1], "name": "__reduce__", "args": []},
        {"ask": "do", "on": 99, "name": "__call__", "args": []},
        {"ask": "get", "on": given[3], "name": "shown"},
        {"ask": "do", "on": given[1], "name": "__call__", "args": []},
    ]

    judge.ask(*({"named": {}, **each} for each in asked), {"value": 1})

    answers = [{**told, "id": 0} for told in judge.read_messages()[1:]]
    assert ["error" in answer for answer in answers[:-2]] == [True] * (len(asked) - 2)
    assert answers[-2:] == [{"value": 3, "id": 0}, {"value": 1, "id": 0}]


def test_an_answer_that_came_too_late_is_nobodys(
    make_judge: Callable[[Path], Judge], tmp_path: Path
) -> None:
    assert make_judge(tmp_path).ask({"value": 4, "id": 0}, {"value": 5}) == 5


def test_a_file_that_was_added_takes_no_installed_modules_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(tmp_path / "root")
    (tmp_path / "site").mkdir()
    (tmp_path / "site/installed_here.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.syspath_prepend(root)
    added = {".": ["installed_here", "json", "own_here"], "apart": ["far_here"]}
    asked = ["installed_here", "own_here", "own_here.part", "far_here", "json", "none_here"]

    names = ProductNames(f"{root}/held_out", root, added, {})
    assert [name for name in asked if names.owns(name)] == ["own_here", "own_here.part", "far_here"]
    base = {".": ["installed_here", "json"]}
    assert not ProductNames(str(tmp_path / "site"), root, added, base).owns("installed_here")
    names = ProductNames(f"{root}/held_out", root, added, base)
    assert names.owns("installed_here")
    assert names.list_clashes() == {"json"}
