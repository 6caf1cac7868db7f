"""What lies around the worktree of an agent, and may not change while it works there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from goalkeeper.git.drivers import ConfigRows
from goalkeeper.git.places import find_common_dir
from goalkeeper.git.refs import read_refs
from goalkeeper.git.repository import open_git
from goalkeeper.system.environment import find_user_home, lies_in_any
from goalkeeper.system.safe_open import NEW, make_folder, open_without_links, read_plain_file
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

# What git runs, or is told to run. Worktrees share all of it.
_COMMANDING = ("config", "config.worktree", "info/attributes", "info/exclude")
# What shells, git, ssh and clients obey, and who may come in. Files that programs write while they
# are used as they should be, such as known_hosts, are not here.
_ALIASES = ".bash_aliases"  # most systems come with a .bashrc that reads it
_IN_HOME = (
    _ALIASES, ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".kshrc",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/fish/config.fish",
    ".xprofile", ".xsessionrc", ".pam_environment",
    ".ssh/authorized_keys", ".ssh/config", ".ssh/rc",
    ".ssh/environment", ".aws/config", ".aws/credentials", ".gnupg/gpg.conf",
    ".gnupg/gpg-agent.conf",
    *(f"{row.settings.folder}/{file}" for row in CLIENTS.values() for file in row.settings.files
      if file not in row.settings.own),
)  # fmt: skip
# All that lies in these folders is obeyed when a shell or a session begins.
_FOLDERS_IN_HOME = (
    ".config/fish/conf.d", ".config/fish/functions", ".config/environment.d", ".config/autostart",
    ".config/systemd/user", ".local/share/systemd/user",
)  # fmt: skip
_SETTINGS = ("config", "attributes", "ignore")
_INCLUDED = late_pattern(r"include(?:if\..*)?\.path", re.DOTALL)
_NAMED_FILES = ("core.attributesfile", "core.excludesfile")


class Surroundings(Value):
    """The user's refs, and the digests of files that make somebody run something."""

    refs: Mapping[str, str]
    commanding: Mapping[str, str]


def read_surroundings(root: str, environ: Mapping[str, str]) -> Surroundings:
    rows = open_git(root).read_config_origins()
    found = {
        **_find_of_git(root, rows),
        **_find_in_home(find_user_home(environ)),
        **_find_users_settings(root, rows, environ),
    }
    return Surroundings(read_refs(root), _read_digests(found))


def read_commanding(root: str) -> dict[str, str]:
    """Return the digests of what makes git run something here."""
    return _read_digests(_find_of_git(root, open_git(root).read_config_origins()))


def lay_commanding(root: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """List the files and folders that may not change, for those who seal them.

    Nobody can seal what is not there, so what git would obey is made, empty, where it is missing,
    and so is the one file of a shell that is read although few users have it.
    """
    rows = open_git(root).read_config_origins()
    common, home = find_common_dir(root), find_user_home(environ)
    folders = [os.path.join(common, "info"), _find_settings_folder(environ)]
    folders += _find_hooks(root, rows).values()
    settings = _find_users_settings(root, rows, environ).values()
    for folder in folders:
        _make_missing(folder, (common, home), is_folder=True)
    for file in settings:
        if not lies_in_any(file, folders):
            _make_missing(file, (home,))
    _make_missing(os.path.join(home, _ALIASES), (home,))
    folders += (os.path.realpath(os.path.join(home, name)) for name in _FOLDERS_IN_HOME)
    files = (*_find_of_git(root, rows).values(), *_find_in_home(home).values(), *settings)
    return (*filter(os.path.isdir, folders), *filter(os.path.isfile, files))


def _make_missing(place: str, around: Sequence[str], *, is_folder: bool = False) -> None:
    """Make a file or folder if it is missing and belongs into one of these folders."""
    if os.path.lexists(place) or not lies_in_any(place, [*map(os.path.realpath, around)]):
        return
    with suppress(OSError):  # then nothing can be sealed there, and changes are only noticed
        make_folder(place if is_folder else os.path.dirname(place))
        if not is_folder:
            os.close(open_without_links(place, NEW))


def _find_of_git(root: str, rows: ConfigRows) -> dict[str, str]:
    common = find_common_dir(root)
    found = {f".git/{name}": os.path.join(common, name) for name in _COMMANDING}
    for said, folder in _find_hooks(root, rows).items():
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            found[f"{said}/{name}"] = os.path.join(folder, name)
    return found


def _find_hooks(root: str, rows: ConfigRows) -> dict[str, str]:
    """Find git's folder of hooks, and that of the user, if the settings name one."""
    named = [value for _, key, value in rows if key == "core.hookspath" and value]
    own = {each: os.path.join(root, os.path.expanduser(each)) for each in named[-1:]}
    return {".git/hooks": os.path.join(find_common_dir(root), "hooks"), **own}


def _find_settings_folder(environ: Mapping[str, str]) -> str:
    """Return the folder in which git looks for settings, attributes and ignored files."""
    named = environ.get("XDG_CONFIG_HOME", "")
    place = named if os.path.isabs(named) else os.path.join(find_user_home(environ), ".config")
    return os.path.realpath(os.path.join(place, "git"))


def _find_users_settings(root: str, rows: ConfigRows, environ: Mapping[str, str]) -> dict[str, str]:
    """Find all files of settings that git reads, also those that it would read if they came."""
    home, common = find_user_home(environ), find_common_dir(root)
    named = environ.get("GIT_CONFIG_GLOBAL", "")
    found = [named if os.path.isabs(named) else os.path.join(home, ".gitconfig")]
    found += [os.path.join(_find_settings_folder(environ), name) for name in _SETTINGS]
    for origin, key, value in rows:
        file = os.path.join(root, origin.removeprefix("file:"))
        found += [file] if origin.startswith("file:") else []
        if _INCLUDED.fullmatch(key):
            found.append(os.path.join(os.path.dirname(file), os.path.expanduser(value)))
        elif key in _NAMED_FILES:
            found.append(os.path.join(root, os.path.expanduser(value)))
    places = {os.path.normpath(each): os.path.realpath(each) for each in found}
    return {
        f"~/{os.path.relpath(said, home)}" if lies_in_any(said, [home]) else said: place
        for said, place in places.items()
        if not lies_in_any(place, [common])
    }


def _find_in_home(home: str) -> dict[str, str]:
    names = (*_IN_HOME, *_list_keys(home))
    inside = {f"~/{os.path.relpath(place, home)}": place for place in _list_in_folders(home)}
    return {f"~/{name}": os.path.realpath(os.path.join(home, name)) for name in names} | inside


def _list_keys(home: str) -> Iterator[str]:
    folder = os.path.join(home, ".ssh")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.startswith("id_"):
            yield f".ssh/{name}"


def _list_in_folders(home: str) -> Iterator[str]:
    for name in _FOLDERS_IN_HOME:
        for folder, folders, files in os.walk(os.path.join(home, name)):
            yield from (os.path.join(folder, each) for each in (*folders, *files))


def _read_digests(places: Mapping[str, str]) -> dict[str, str]:
    found = {name: _read_file_or_link(place) for name, place in places.items()}
    return {name: sha256(data) for name, data in found.items() if data}


def _read_file_or_link(place: str) -> bytes:
    with suppress(OSError):
        return os.readlink(os.fsencode(place))
    return read_plain_file(place)


def list_changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in sorted({*before, *after}) if before.get(name) != after.get(name))
