"""What lies around the worktree of an agent, and may not change while it works there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from goalkeeper.git.places import find_common_dir
from goalkeeper.git.refs import read_refs
from goalkeeper.git.repository import open_git
from goalkeeper.system.environment import find_user_home
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.value import Value

# What git runs, or is told to run. Worktrees share all of it.
_COMMANDING = ("config", "config.worktree", "info/attributes", "info/exclude")
# What shells, git, ssh and clients obey, and who may come in. Files that programs write while they
# are used as they should be, such as known_hosts, are not here.
_IN_HOME = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".kshrc", ".zshrc",
    ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/fish/config.fish",
    ".gitconfig", ".config/git/config", ".config/git/ignore",
    ".config/git/attributes", ".ssh/authorized_keys", ".ssh/config", ".ssh/rc",
    ".ssh/environment", ".aws/config", ".aws/credentials", ".gnupg/gpg.conf",
    ".gnupg/gpg-agent.conf",
    *(f"{row.settings.folder}/{file}" for row in CLIENTS.values() for file in row.settings.files
      if file not in row.settings.own),
)  # fmt: skip


class Surroundings(Value):
    """The user's refs, and the digests of files that make somebody run something."""

    refs: Mapping[str, str]
    commanding: Mapping[str, str]


def read_surroundings(root: str, environ: Mapping[str, str]) -> Surroundings:
    mine = _find_in_home(find_user_home(environ))
    return Surroundings(read_refs(root), {**read_commanding(root), **_read_digests(mine)})


def read_commanding(root: str) -> dict[str, str]:
    """Return the digests of what makes git run something here."""
    return _read_digests(_find_of_git(root))


def list_commanding(root: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """List the files that may not change; those that are not there yet are not among them."""
    found = {**_find_of_git(root), **_find_in_home(find_user_home(environ))}
    return tuple(place for place in found.values() if os.path.isfile(place))


def _find_of_git(root: str) -> dict[str, str]:
    common = find_common_dir(root)
    found = {f".git/{name}": os.path.join(common, name) for name in _COMMANDING}
    folders = {".git/hooks": os.path.join(common, "hooks"), **_find_own_hooks(root)}
    for said, folder in folders.items():
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            found[f"{said}/{name}"] = os.path.join(folder, name)
    return found


def _find_own_hooks(root: str) -> dict[str, str]:
    """Find the folder in which the user keeps hooks, if the settings name one."""
    rows = open_git(root).read_config()
    named = [value for _, key, value in rows if key == "core.hookspath" and value]
    return {each: os.path.join(root, os.path.expanduser(each)) for each in named[-1:]}


def _find_in_home(home: str) -> dict[str, str]:
    names = (*_IN_HOME, *_list_keys(home))
    return {f"~/{name}": os.path.realpath(os.path.join(home, name)) for name in names}


def _list_keys(home: str) -> Iterator[str]:
    folder = os.path.join(home, ".ssh")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.startswith("id_"):
            yield f".ssh/{name}"


def _read_digests(places: Mapping[str, str]) -> dict[str, str]:
    found = {name: read_plain_file(place) for name, place in places.items()}
    return {name: sha256(data) for name, data in found.items() if data}


def list_changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in sorted({*before, *after}) if before.get(name) != after.get(name))
