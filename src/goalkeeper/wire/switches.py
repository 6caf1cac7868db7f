"""Finds out whether a client's own files keep it from calling our hooks.

The caller gives the function that reads, so nothing here touches a disk by itself. What cannot be
read says nothing.
"""

from __future__ import annotations

from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.light_json import NotJson, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_FRONT = b"goalkeeper/hooks/front.sh"  # every command line of ours names it


def list_settings(client: str, environ: Mapping[str, str], project: str) -> list[str]:
    """List the files by which hooks of the client are set, or turned off."""
    of = CLIENTS[client].settings
    folder = environ.get(of.variable, "")
    if not folder.startswith("/"):
        folder = f"{environ.get('HOME', '')}/{of.folder}"
    elif of.below:
        folder = f"{folder}/{of.below}"
    return [f"{folder}/{name}" for name in of.files] + [f"{project}/{n}" for n in of.in_project]


def list_hooked(
    client: str, environ: Mapping[str, str], project: str, read: Callable[[str], bytes]
) -> tuple[str, ...]:
    """List those of the files that call our hooks."""
    return tuple(p for p in list_settings(client, environ, project) if _FRONT in read(p))


def find_switched_off(
    client: str,
    environ: Mapping[str, str],
    project: str,
    hooked: tuple[str, ...],
    read: Callable[[str], bytes],
) -> str:
    """Say what keeps the client from calling our hooks; empty if nothing does that we know of.

    `hooked` are files that did call them.
    """
    switch = CLIENTS[client].settings.switch
    for path in list_settings(client, environ, project) if switch else ():
        if _has_switch(path, read(path), switch.split()):
            return f"{path} sets {switch}"
    for path in hooked:
        if _FRONT not in read(path):
            return f"{path} no longer calls goalkeeper"
    return ""


def _has_switch(path: str, data: bytes, switch: list[str]) -> bool:
    """Return whether the file sets a key, which is named from outside to inside, to a value."""
    *keys, wanted = switch
    if path.endswith(".toml"):
        section, key = ".".join(keys[:-1]), keys[-1]
        return f"{key}={wanted}" in _list_of_section(data.decode(errors="replace"), section)
    try:
        value = loads(data)
    except NotJson:
        return False
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value is (wanted == "true")


def _list_of_section(text: str, section: str) -> Iterator[str]:
    """List the lines below a heading of a TOML file, without blanks and comments."""
    here = ""
    for line in text.splitlines():
        told = line.partition("#")[0].replace(" ", "").replace("\t", "")
        if told.startswith("["):
            here = told.strip("[]")
        elif here == section:
            yield told
        elif not here and section and told.startswith(f"{section}."):
            yield told[len(section) + 1 :]
