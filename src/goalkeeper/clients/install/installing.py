"""What installing would change: our files as they are to be, our entries in files of the user's."""

from __future__ import annotations

from goalkeeper.clients.install.files import read
from goalkeeper.clients.install.json_text import NotJson, appended, parse, with_member, without
from goalkeeper.clients.install.parts import Merged, Owned, is_ours
from goalkeeper.errors import ConfigError
from goalkeeper.wire.value import Value


class SettingsUnreadable(ConfigError):
    """{path} cannot be changed ({reason}); nothing was written."""

    code = "settings-unreadable"
    hint = "mend {path}, then repeat the command"


class Change(Value):
    """One file: what it was (None: absent) and what it is to be."""

    path: str
    before: bytes | None
    after: bytes
    is_merged: bool

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def changes(files: tuple[Owned | Merged, ...]) -> tuple[Change, ...]:
    return tuple(_change(file) for file in files)


def _change(file: Owned | Merged) -> Change:
    before = read(file.path)
    if isinstance(file, Owned):
        return Change(file.path, before, file.data, is_merged=False)
    return Change(file.path, before, _merged(file, before or b"{}\n"), is_merged=True)


def _merged(file: Merged, before: bytes) -> bytes:
    """Ours taken out and put in again; where that says the same, not a byte is changed."""
    try:
        text = before.decode()
        found = without(text, is_ours)
        for path, item in file.items:
            found = appended(found, path, item)
        for path, value in file.members:
            found = with_member(found, path, value)
        is_same = parse(found).value == parse(text).value
    except (NotJson, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=file.path, reason=str(exc)) from exc
    return before if is_same else found.encode()


def taken_out(path: str, now: bytes) -> bytes:
    """The user's settings without ours."""
    if not now:
        return now  # an empty file is no JSON, and fine
    try:
        return without(now.decode(), is_ours).encode()
    except (NotJson, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=path, reason=str(exc)) from exc
