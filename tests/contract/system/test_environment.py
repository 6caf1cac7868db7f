"""What a check sees of the user's environment."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.system.environment import DEFAULT_PATH, build_check_environment, is_unsafe_variable
from tests.tables import for_each

ALWAYS = {"PATH", "HOME", "TMPDIR", "TERM", "USER", "LOGNAME", "SHELL"}
NAMES = st.text(st.characters(categories=["Lu", "Nd"], include_characters="_"), min_size=1)
ENVIRONMENTS = st.dictionaries(NAMES, st.text(max_size=5))


def path_of(path: str, *forbidden: Path) -> list[str]:
    env = build_check_environment(
        {"PATH": path}, home="/h", tmp="/t", keep=(), forbidden=[str(place) for place in forbidden]
    )
    return env["PATH"].split(os.pathsep)


def test_language_and_time_zone_pass_and_little_else() -> None:
    given_ = {"LANG": "C", "LC_ALL": "C", "TZ": "UTC", "EDITOR": "vi", "GIT_DIR": "x", "HOME": "/u"}

    env = build_check_environment(given_, home="/h", tmp="/t", keep=(), forbidden=())

    assert env.keys() == ALWAYS | {"LANG", "LC_ALL", "TZ"}
    assert (env["HOME"], env["TMPDIR"], env["TERM"]) == ("/h", "/t", "xterm-256color")


def test_version_managers_find_their_tools_below_the_users_home(tmp_path: Path) -> None:
    (tmp_path / ".rustup").mkdir()
    elsewhere = {"HOME": str(tmp_path), "RUSTUP_HOME": "/elsewhere", "PYENV_ROOT": "/elsewhere"}

    env = build_check_environment(elsewhere, home="/h", tmp="/t", keep=(), forbidden=())

    assert env["RUSTUP_HOME"] == str(tmp_path / ".rustup")
    assert "PYENV_ROOT" not in env


def test_what_is_asked_for_passes_unless_it_steers() -> None:
    given_ = {"DATABASE_URL": "x", "LD_PRELOAD": "x", "NODE_OPTIONS": "x", "HOME": "/u"}

    env = build_check_environment(
        given_, home="/h", tmp="/t", keep=[*given_, "ABSENT"], forbidden=()
    )

    assert env.keys() == ALWAYS | {"DATABASE_URL"}
    assert env["HOME"] == "/h"


@given(ENVIRONMENTS, st.lists(NAMES))
def test_nothing_steers_whatever_is_asked_for(environ: dict[str, str], keep: list[str]) -> None:
    env = build_check_environment(
        environ, home="/h", tmp="/t", keep=[*environ, *keep], forbidden=()
    )

    assert not any(is_unsafe_variable(name) for name in env.keys() - ALWAYS)


@for_each(
    "name",
    """
    LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONWARNINGS
    NODE_OPTIONS BASH_ENV ENV PERL5OPT RUBYOPT GIT_DIR GIT_SSH_COMMAND PATH HOME TMPDIR
    PYTEST_ADDOPTS PYTEST_PLUGINS JAVA_TOOL_OPTIONS MAKEFLAGS npm_config_prefix GOALKEEPER_RUN
    BASH_FUNC_ls%% A=B
    """.split(),  # noqa: SIM905  a column of quoted names says no more
)
def test_names_that_steer_are_refused(name: str) -> None:
    assert is_unsafe_variable(name)


@for_each("name", ["DATABASE_URL", "PYTHONHASHSEED", "CI", "JAVA_HOME", "GITHUB_SHA"])
def test_ordinary_names_are_not(name: str) -> None:
    assert not is_unsafe_variable(name)


def test_only_real_absolute_places_stay_on_the_path(tmp_path: Path) -> None:
    place = tmp_path / "bin"
    place.mkdir()

    assert path_of(f":.:bin:{place}:{place}:{tmp_path / 'gone'}:") == [str(place)]


def test_no_place_of_the_candidate_stays_on_the_path_under_any_name(tmp_path: Path) -> None:
    inside = tmp_path / "repo" / "bin"
    inside.mkdir(parents=True)
    beside = tmp_path / "repository"
    beside.mkdir()
    (tmp_path / "link").symlink_to(inside)
    (tmp_path / "alias").symlink_to(tmp_path / "repo")
    entries = [inside, tmp_path / "link", tmp_path / "repo" / ".." / "repo" / "bin", beside]

    path = os.pathsep.join(map(str, entries))
    assert path_of(path, tmp_path / "repo") == [str(beside)]
    assert path_of(path, tmp_path / "alias") == [str(beside)]


def test_an_emptied_path_is_the_system_s_and_not_the_working_directory(tmp_path: Path) -> None:
    assert path_of(".") == DEFAULT_PATH.split(os.pathsep)
