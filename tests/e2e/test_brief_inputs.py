"""The ways in which a brief is handed in."""

from pathlib import Path

from tests.e2e.world import THREE_STORIES, World


def test_the_brief_comes_by_flag_file_or_standard_input(world: World, tmp_path: Path) -> None:
    (world.root / "brief.md").write_text(THREE_STORIES)
    ways = {
        "flag": (("--brief", THREE_STORIES), b""),
        "flag with =": ((f"--brief={THREE_STORIES}",), b""),
        "file": (("--brief-file", "brief.md"), b""),
        "stdin": (("--from-stdin",), THREE_STORIES.encode()),
    }

    for flags, given in ways.values():
        made = world.run("create-goals", *flags, "--archive", "--json", input=given)
        assert made.json["goal_ids"] == ["G001", "G002", "G003"]
        assert next(world.state.glob("runs/*/brief.md")).read_text() == THREE_STORIES
