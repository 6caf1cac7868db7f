"""Plans what installing changes: files of our own, and our entries in files of the user's."""

from __future__ import annotations

from goalkeeper.clients.install.files import read_file
from goalkeeper.clients.install.json_text import (
    NotJsonText,
    add_member,
    append_item,
    cut_ours,
    parse,
)
from goalkeeper.clients.install.parts import MergedFile, OwnFile, is_ours
from goalkeeper.errors import ConfigError
from goalkeeper.wire.value import Value


class SettingsUnreadable(ConfigError, hint="mend {path}, then repeat the command"):
    """{path} cannot be changed ({reason}); nothing was written."""


class InstallChange(Value):
    """One file, as it was (None: absent) and as it is to be."""

    path: str
    before: bytes | None
    after: bytes
    is_merged: bool

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def plan_changes(files: tuple[OwnFile | MergedFile, ...]) -> tuple[InstallChange, ...]:
    return tuple(_plan_change(file) for file in files)


def _plan_change(file: OwnFile | MergedFile) -> InstallChange:
    before = read_file(file.path)
    if isinstance(file, OwnFile):
        return InstallChange(file.path, before, file.data, is_merged=False)
    return InstallChange(file.path, before, _merge(file, before or b"{}\n"), is_merged=True)


def _merge(file: MergedFile, before: bytes) -> bytes:
    """Take our entries out and put them in again. Where that says the same, no byte is changed."""
    try:
        text = before.decode()
        found = cut_ours(text, is_ours)
        for path, item in file.items:
            found = append_item(found, path, item)
        for path, value in file.members:
            found = add_member(found, path, value)
        is_same = parse(found).value == parse(text).value
    except (NotJsonText, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=file.path, reason=str(exc)) from exc
    return before if is_same else found.encode()


def take_out(path: str, now: bytes) -> bytes:
    """Return the user's settings without our entries."""
    if not now:
        return now  # an empty file is no JSON, and fine
    try:
        return cut_ours(now.decode(), is_ours).encode()
    except (NotJsonText, UnicodeDecodeError) as exc:
        raise SettingsUnreadable(path=path, reason=str(exc)) from exc
