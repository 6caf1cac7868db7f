"""What a process apart has written down as its answer."""

import os
from collections.abc import Callable
from pathlib import Path

from goalkeeper.loop.apart import read_written_answer
from tests.tables import for_each

BAD: dict[str, Callable[[Path], object]] = {
    "there is no answer.json: missing": lambda _: None,
    "there is no answer.json: link": lambda place: place.symlink_to("/etc/passwd"),
    "there is no answer.json: special": os.mkfifo,
    "there is no answer.json: directory": Path.mkdir,
    "there is no answer.json: too-large": lambda place: place.write_bytes(bytes(5 << 20)),
    "answer.json is not JSON: Expecting value": lambda place: place.write_text("not json"),
    "answer.json is not JSON: Out of range float": lambda place: place.write_text('{"a": 1e999}'),
    "answer.json is not JSON: 'utf-8' codec": lambda place: place.write_bytes(b"\xff"),
    "answer.json is not an object": lambda place: place.write_text("[]"),
}


@for_each("told, lay", BAD.items())
def test_an_answer_that_nobody_can_read_is_named(
    tmp_path: Path, told: str, lay: Callable[[Path], object]
) -> None:
    lay(tmp_path / "answer.json")

    read = read_written_answer(str(tmp_path))

    assert isinstance(read, str)
    assert read.startswith(told), read


def test_a_plain_answer_is_read(tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text('{"verdict": "OKAY"}')

    assert read_written_answer(str(tmp_path)) == {"verdict": "OKAY"}
