"""`init` prepares a repository once, and asks only a person."""

from pathlib import Path

import pytest

from tests.e2e.world import World, tree

KEY = ".config/goalkeeper/approval.key"


def fake_path(place: Path, *names: str) -> dict[str, str]:
    """A PATH with nothing on it but programs of these names."""
    place.mkdir()
    for name in names:
        (place / name).write_text("#!/bin/sh\n")
        (place / name).chmod(0o755)
    return {"PATH": str(place)}


GREEN = "test:\n\t@true\nlint:\n\t@no-such-linter\n"
RED = "test:\n\t@grep -q fixed product.txt\n"
# A package that depends on a folder of its own: npm links it, and asks no registry.
LINKED = {
    "package.json": '{"scripts": {"test": "test -L node_modules/a"}, "dependencies": '
    '{"a": "file:a"}}',
    "a/package.json": '{"name": "a", "version": "1.0.0"}',
    "package-lock.json": '{"lockfileVersion": 3, "packages": {"": {"dependencies": {"a": "file:a"}'
    '}, "a": {"version": "1.0.0"}, "node_modules/a": {"resolved": "a", "link": true}}}',
}


def test_init_tries_what_it_found_in_a_clean_checkout(world: World) -> None:
    (world.root / "Makefile").write_text(GREEN)

    made = world.ok("init", "--yes")

    assert made["verify_commands"] == [["make", "test"]]
    assert [row["verdict"] for row in made["tried"]] == ["passed", "unknown"]
    assert made["tried"][1]["reason"].startswith("no-such-linter cannot be run here")
    assert (made["proven"], made["trusted"]) == (True, True)  # there is nothing to trust
    kept = world.ok("init", "--yes")
    assert (made["made"], kept["made"]) == (True, False)
    assert kept["verify_commands"] == [["make", "test"]]  # read back from config.toml


def test_init_says_what_is_red_and_what_it_could_not_show(world: World, tmp_path: Path) -> None:
    (world.root / "Makefile").write_text(RED)
    other, bare = World(tmp_path / "other"), World(tmp_path / "bare")
    (other.root / "Makefile").write_text(RED)

    red = world.run("init", "--yes")
    untried = other.run("init", "--yes", "--no-try")

    assert "verified by make test: RED already, in a clean checkout (exit 2" in red.out
    assert "running make test in a clean checkout" in red.err
    assert "verified by make test: not tried" in untried.out
    assert untried.err == ""
    assert "verified by nothing: no tests were found" in bare.run("init", "--yes").out


@pytest.mark.needs("npm")
def test_init_takes_the_commands_by_which_tests_pass(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "other")
    (world.root / "Makefile").write_text("test:\n\t@no-such-runner\nlint:\n\t@true\n")
    own = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
    (world.root / "test_a.py").write_text(own)
    (other.root / "Makefile").write_text("test:\n\t@false\nlint:\n\t@true\n")
    (other.root / "package.json").write_text('{"scripts": {"test": "true", "lint": "false"}}')

    made, red = world.ok("init", "--yes"), other.ok("init", "--yes")

    assert made["verify_commands"] == [["python3", "-m", "unittest", "discover"]]
    assert made["proven"] is True
    assert red["verify_commands"] == [["npm", "test"], ["npm", "run", "lint"]]


@pytest.mark.needs("bwrap")
def test_init_names_what_only_the_users_checkout_has(world: World) -> None:
    (world.root / "Makefile").write_text(RED)
    (world.root / ".gitignore").write_text("product.txt\n")
    (world.root / "product.txt").write_text("fixed\n")

    page = world.run("init", "--yes").out

    assert "could not be shown (it passes with product.txt of your checkout, which git" in page


@pytest.mark.needs("bwrap", "npm")
def test_set_up_that_a_human_had_proven_is_trusted_and_that_of_an_agent_is_not(
    world: World, tmp_path: Path
) -> None:
    other = World(tmp_path / "other")
    for path, text in LINKED.items():
        for place in (world.root / path, other.root / path):
            place.parent.mkdir(exist_ok=True)
            place.write_text(text)

    by_agent = world.ok("init", "--yes")
    by_human = other.on_terminal("init", "--yes")

    assert by_agent["fetch"] == [["npm", "ci", "--no-audit", "--no-fund"]]
    assert (by_agent["proven"], by_agent["trusted"]) == (True, False), by_agent
    assert "goalkeeper trust" not in by_human.out
    kept = [[*each.home.glob(".config/goalkeeper/trust/*")] for each in (world, other)]
    assert [len(found) for found in kept] == [0, 1]


def test_init_finds_the_agents_on_the_path_and_leaves_the_choice_to_each_run(
    world: World, tmp_path: Path
) -> None:
    path = fake_path(tmp_path / "bin", "git", "claude", "codex")

    assert world.ok("init", "--yes", env=path)["agents"] == ["claude", "codex"]
    assert '\n# default = "claude"' in (world.state / "config.toml").read_text()


def test_init_shows_what_it_found(world: World, tmp_path: Path) -> None:
    (world.root / "Makefile").write_text("test:\n")

    page = world.run("init", "--yes", env=fake_path(tmp_path / "bin", "opencode")).out

    assert page.startswith("Wrote .goalkeeper/config.toml.\n")
    assert "make test" in page
    assert "opencode" in page
    assert "did not work: nothing was tried: git is not installed" in page
    assert "next: mend what did not work, then goalkeeper init --again" in page


def test_a_second_init_changes_no_byte(world: World) -> None:
    (world.root / "Makefile").write_text("test:\n")
    world.ok("init", "--yes")
    before = tree(world.root), tree(world.home)

    (world.root / "Makefile").write_text("lint:\n")
    before[0]["Makefile"] = b"lint:\n"
    assert world.run("init", "--yes").out.startswith("Kept .goalkeeper/config.toml.\n")

    assert (tree(world.root), tree(world.home)) == before


@pytest.mark.needs("bwrap", "npm")
@pytest.mark.thorough
def test_what_passes_without_a_set_up_that_fails_is_written_without_it(world: World) -> None:
    (world.root / "package.json").write_text(
        '{"scripts": {"test": "true"}, "dependencies": {"a": "1"}}'
    )
    (world.root / "package-lock.json").write_text('{"lockfileVersion": 3, "packages": {}}')

    made = world.ok("init", "--yes")

    (problem,) = made["problems"]
    assert "package-lock.json: set-up: npm ci" in problem
    assert "are in sync" in problem
    assert (made["fetch"], made["verify_commands"]) == ([], [["npm", "test"]])


def test_init_finds_again_what_nobody_has_edited(world: World) -> None:
    (world.root / "Makefile").write_text("build:\n")
    world.ok("init", "--yes")
    (world.root / "Makefile").write_text(GREEN)

    again = world.ok("init", "--yes", "--again")
    settings = world.state / "config.toml"
    settings.write_text(settings.read_text().replace('"make"', '"gmake"'))
    edited = world.run("init", "--yes", "--again", "--json")

    assert (again["made"], again["verify_commands"]) == (True, [["make", "test"]])
    assert edited.reason == "settings-edited"


def test_init_keeps_a_config_that_a_person_wrote(world: World) -> None:
    world.state.mkdir()
    own = '# mine\nversion = 1\n[verify]\ncommands = [["./check", "it all"]]\n'
    (world.state / "config.toml").write_text(own)

    assert world.ok("init", "--yes")["verify_commands"] == [["./check", "it all"]]
    assert (world.state / "config.toml").read_text() == own


def test_git_sees_the_settings_and_nothing_else(world: World) -> None:
    world.ok("init", "--yes")
    world.plan(env={"CLAUDE_CODE_SESSION_ID": "1"})
    world.plan("Another.", "--archive", "why", env={"CLAUDE_CODE_SESSION_ID": "1"})

    seen = world.git("status", "--short", "--untracked-files=all").splitlines()

    assert seen == ["?? .goalkeeper/config.toml"]


def test_without_init_a_plan_keeps_git_clean_too(world: World) -> None:
    world.plan()

    seen = world.git("status", "--short", "--untracked-files=all").splitlines()

    assert seen == []


def test_on_a_terminal_init_asks_and_takes_a_yes(world: World) -> None:
    answer = world.on_terminal("init", keys=b"\n")

    assert answer.code == 0
    assert "[Y/n]" in answer.err
    assert "[verify]" in answer.err
    assert (world.state / "config.toml").is_file()


def test_on_a_terminal_init_takes_a_no(world: World) -> None:
    answer = world.on_terminal("init", keys=b"what?\n")

    assert answer.code == 1
    assert "Nothing was written." in answer.out
    assert not world.state.exists()


def test_init_never_asks_with_yes_nor_twice_nor_without_a_terminal(
    world: World, tmp_path: Path
) -> None:
    assert "[Y/n]" not in world.on_terminal("init", "--yes").err
    assert "[Y/n]" not in world.on_terminal("init").err
    other = World(tmp_path / "other")
    assert "[Y/n]" not in other.run("init", input=b"n\n").err
    assert (other.state / "config.toml").is_file()


def test_init_makes_an_approval_key_that_only_its_owner_can_read(world: World) -> None:
    world.ok("init", "--yes")

    assert (world.home / KEY).stat().st_mode & 0o777 == 0o600
    assert len((world.home / KEY).read_text().strip()) == 64
    assert not [path for path in tree(world.root) if "approval" in path]


def test_init_does_without_a_home_it_cannot_write_to(world: World) -> None:
    made = world.ok("init", "--yes", env={"HOME": "/dev/null"})

    assert made["made"] is True
    assert "approval_key_path" not in made
