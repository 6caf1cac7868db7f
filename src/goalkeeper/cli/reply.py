"""What a command answers: data for programs, a page for people, and an exit code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from goalkeeper.core.plan.model import Refused
from goalkeeper.wire.value import Value

# People's terminals show what agents write, so escape codes and reversed text are removed.
_HIDDEN = (*range(32), *range(127, 160), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_VISIBLE = {code: f"\\x{code:02x}" for code in _HIDDEN if chr(code) not in "\t\n"}


def visible(text: str) -> str:
    return text.translate(_VISIBLE)


def keep_line(text: str) -> str:
    """Return a line of a page. Others may have written a part of it: they begin no line of ours."""
    before = "\n" * (len(text) - len(text.lstrip("\n")))
    return before + text[len(before) :].replace("\n", "\n    ")


class Table(Value):
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Page = tuple["str | Table", ...]  # each text is one line, with empty ones before it


class Reply(Value):
    data: dict[str, Any]
    page: Page
    next: str = ""  # the command to run next
    warnings: tuple[str, ...] = ()
    raw: Iterable[bytes | str] | None = None  # it is written as it is, instead of the page
    code: int | None = None  # it is set where the answer alone does not tell it

    @property
    def exit_code(self) -> int:
        return self.code if self.code is not None else int(not self.data.get("ok", True))


def document(plain: object) -> Reply:
    """Answer with a document for a file or another program, with or without `--json`."""
    return Reply({}, (), raw=((json.dumps(plain, indent=2) + "\n").encode(),))


def failure(code: str, message: str, hint: str, facts: Mapping[str, object]) -> dict[str, Any]:
    """Return a refusal or an error in the form that `--json` prints."""
    error = {"code": code, "message": message, "hint": hint}
    return {"ok": False, "error": {**error, "facts": facts} if facts else error}


def refusal(refused: Refused) -> Reply:
    data = failure(refused.reason, refused.message, refused.hint, refused.facts)
    page = (f"refused ({refused.reason}): {refused.message}",)
    return Reply(data, page, next=refused.hint)
