"""Environments of the programs that we start: a short list of the user's variables for checks."""

from __future__ import annotations

import os
import pwd
import re
import stat
from collections.abc import Mapping, Sequence

from goalkeeper.wire.pattern import late_pattern

PASSED = frozenset({"LANG", "LANGUAGE", "TZ"})
# A check has what a developer has: code that is right only for us must not be able to tell.
FIXED = {"TERM": "xterm-256color", "SHELL": "/bin/bash"}
# Where there is no network, set-up need not try for minutes to fetch.
OFFLINE = {"npm_config_offline": "true", "PIP_RETRIES": "0"}
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_SYSTEM_PATH = f"{DEFAULT_PATH}:/usr/sbin:/sbin:/run/current-system/sw/bin"
# git obeys these, and they name another repository, or only a part of one.
OTHER_REPOSITORY = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE",
    "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE",
})  # fmt: skip

# These names make a loader, a runner or a tool run other code, or change what ours does.
STEERING_PREFIXES = (
    "BASH_FUNC_", "CORECLR_", "DYLD_", "GIT_", "GOALKEEPER_", "LD_", "MALLOC_", "NPM_CONFIG_",
    "PYTEST_", "PYTHON",
)  # fmt: skip
STEERING = frozenset(
    """
    BASHOPTS BASH_ENV CDPATH CLASSPATH DOTNET_STARTUP_HOOKS ENV GCONV_PATH GLIBC_TUNABLES
    GNUMAKEFLAGS GOFLAGS HOME IFS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LOCPATH MAKEFILES MAKEFLAGS
    MFLAGS NODE_EXTRA_CA_CERTS NODE_OPTIONS NODE_PATH PATH PERL5DB PERL5LIB PERL5OPT PERLLIB PS4
    RUBYLIB RUBYOPT RUSTC RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER SHELLOPTS TMPDIR ZDOTDIR
    _JAVA_OPTIONS
    """.split()  # noqa: SIM905  a column of forty quoted names says no more
)
# Programs that fetch packages need these to get through: proxies, certificates, registries.
_FETCHING = late_pattern(
    r"(?:(?:HTTPS?|ALL|NO|FTP)_PROXY|(?:https?|all|no|ftp)_proxy|SSL_CERT_(?:FILE|DIR)"
    r"|(?:REQUESTS|CURL)_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO|NIX_SSL_CERT_FILE"
    r"|PIP_(?:CERT|CONFIG_FILE|EXTRA_INDEX_URL|FIND_LINKS|INDEX_URL|NO_INDEX|PROXY|TIMEOUT"
    r"|DEFAULT_TIMEOUT|TRUSTED_HOST)"
    r"|UV_(?:CONFIG_FILE|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|INDEX|INDEX_URL|INSECURE_HOST"
    r"|NATIVE_TLS|SYSTEM_CERTS|HTTP_TIMEOUT|INDEX_\w+_(?:USERNAME|PASSWORD))"
    r"|(?i:npm_config_(?:registry|cafile|ca|proxy|https_proxy|noproxy|strict_ssl))"
    r"|YARN_(?:NPM_REGISTRY_SERVER|HTTPS?_PROXY|HTTPS_CA_FILE_PATH)|COREPACK_NPM_REGISTRY"
    r"|BUN_CONFIG_REGISTRY|CARGO_HTTP_(?:CAINFO|PROXY)|CARGO_(?:SOURCE|REGISTRIES)_\w+"
    r"|GO(?:PROXY|SUMDB|NOSUMDB|PRIVATE|NOPROXY|INSECURE)|BUNDLE_MIRROR__\w+)"
)
# Where people keep settings of such programs, below their homes.
FETCH_SETTINGS = (
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/pip/pip.conf", ".pip/pip.conf",
    ".config/uv/uv.toml", ".config/pnpm/rc", ".cargo/config.toml", ".bundle/config",
)  # fmt: skip
# Tools that choose a version look for it below the home, and the home of a check is empty.
_TOOL_ROOTS = {
    "ASDF_DATA_DIR": ".asdf",
    "MISE_DATA_DIR": ".local/share/mise",
    "NODENV_ROOT": ".nodenv",
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "RUSTUP_HOME": ".rustup",
    "VOLTA_HOME": ".volta",
}
HARMLESS = frozenset({"PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8"})


def find_user_home(environ: Mapping[str, str]) -> str:
    """Return HOME. A relative one would name a folder of a clone, so the account's home counts."""
    home = environ.get("HOME", "/")
    return home if os.path.isabs(home) else _find_account_home() or "/"


def find_homes(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the real paths of the home that the environment names and of the account's home."""
    named = (environ.get("HOME", ""), _find_account_home())
    return tuple(dict.fromkeys(os.path.realpath(home) for home in named if os.path.isabs(home)))


def _find_account_home() -> str:
    account = _find_account()
    return account.pw_dir if account else ""


def _find_account_name() -> str:
    account = _find_account()
    return account.pw_name if account else "user"


def _find_account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwuid(os.getuid())
    except KeyError:  # in a container the account may have no entry
        return None


def find_system_program(name: str, path: str = "") -> str | None:
    """Return a program that root installed; an agent may have put another one on PATH."""
    for entry in f"{path}:{_SYSTEM_PATH}".split(os.pathsep):
        program = os.path.join(entry, name)
        if not os.path.isabs(entry) or not os.access(program, os.X_OK):
            continue
        about = os.stat(program)
        if stat.S_ISREG(about.st_mode) and about.st_uid == 0:
            return os.path.realpath(program)
    return None


def encode_words(argv: Sequence[str]) -> list[bytes]:
    """Return the words of a command as UTF-8, whatever the locale says; odd paths stay the same."""
    return [word.encode(errors="surrogateescape") for word in argv]


def is_unsafe_variable(name: str) -> bool:
    """Return whether a check may not ask for this variable: it could decide what the check runs."""
    upper = name.upper()  # npm reads its variables whatever their case is
    if upper in HARMLESS:
        return False
    return not name or "=" in name or upper in STEERING or upper.startswith(STEERING_PREFIXES)


def choose_fetch_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the user's variables that lead to registries; code of a tree must not see them."""
    return {name: value for name, value in environ.items() if _FETCHING.fullmatch(name)}


def list_named_paths(variables: Mapping[str, str]) -> list[str]:
    """Return existing files and folders that variables name: certificates, folders of packages."""
    words = (word for value in variables.values() for word in re.split(r"[\s,]+", value))
    found = (word.removeprefix("file://") for word in words)
    return sorted({path for path in found if os.path.isabs(path) and os.path.exists(path)} - {"/"})


def build_check_environment(
    environ: Mapping[str, str],
    *,
    home: str,
    tmp: str,
    keep: Sequence[str],
    forbidden: Sequence[str],
    user: str = "",
) -> dict[str, str]:
    wanted = {name for name in keep if not is_unsafe_variable(name)}
    passed = {
        name: value
        for name, value in environ.items()
        if name in wanted or name in PASSED or name.startswith("LC_")
    }
    path = filter_search_path(environ.get("PATH", DEFAULT_PATH), forbidden)
    passed |= _find_tool_roots(environ)
    name = user or _find_account_name()
    own = {"HOME": home, "TMPDIR": tmp, "USER": name, "LOGNAME": name}
    return {**passed, **FIXED, "PATH": path, **own}


def _find_tool_roots(environ: Mapping[str, str]) -> dict[str, str]:
    """Return where version managers keep their tools, if it is where they look by themselves."""
    home = find_user_home(environ)
    roots = {name: os.path.join(home, folder) for name, folder in _TOOL_ROOTS.items()}
    return {name: place for name, place in roots.items() if os.path.isdir(place)}


def filter_search_path(path: str, forbidden: Sequence[str]) -> str:
    """Return the folders of PATH that exist and that the candidate cannot have filled."""
    walls = [os.path.realpath(place) for place in forbidden]
    entries = [
        entry
        for entry in dict.fromkeys(path.split(os.pathsep))
        if os.path.isabs(entry)
        and os.path.isdir(entry)
        and not lies_in_any(os.path.realpath(entry), walls)
    ]
    # An empty PATH would mean the working directory, which is the candidate's.
    return os.pathsep.join(entries) or DEFAULT_PATH


def lies_in_any(place: str, folders: Sequence[str]) -> bool:
    """Return whether a path is one of the folders or lies below one; all are real and absolute."""
    return any(f"{place}/".startswith(f"{folder.rstrip('/')}/") for folder in folders)
