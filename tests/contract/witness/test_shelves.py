"""Artifacts are plain files below their shelf; what else lies there is named."""

import os
from pathlib import Path

from goalkeeper.core.review.words import Artifact
from goalkeeper.witness.artifacts import check_artifacts
from tests.tables import for_each


@for_each(
    ("path", "code", "told"),
    [
        ("../secret", "artifact-outside", "it leads out of the repository"),
        ("link", "artifact-link", "a link is on the way to it"),
        ("way/passwd", "artifact-link", "a link is on the way to it"),
        ("pipe", "artifact-special", "it is no file"),
        ("folder", "artifact-directory", "it is a folder"),
        ("huge", "artifact-too-large", "it is larger than "),
        ("nowhere", "artifact-missing", "there is no such file"),
    ],
)
def test_what_is_no_plain_file_below_the_shelf_shows_nothing(
    tmp_path: Path, path: str, code: str, told: str
) -> None:
    shelf = tmp_path / "shelf"
    (shelf / "folder").mkdir(parents=True)
    (shelf / "link").symlink_to("/etc/passwd")
    (shelf / "way").symlink_to("/etc")
    os.mkfifo(shelf / "pipe")
    (shelf / "huge").touch()
    os.truncate(shelf / "huge", 1 << 30)
    artifact = Artifact("at", "a", "command-replay", path, None, None, "cli")

    (found,) = check_artifacts([artifact], str(shelf), lambda _: {})

    (said,) = found.diagnostics
    assert said.code == code
    assert f"{path}: {told}" in said.message
