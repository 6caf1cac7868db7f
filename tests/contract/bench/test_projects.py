import tarfile
from pathlib import Path

import pytest

from bench.projects.__main__ import write_table
from bench.projects.archives import find_archive
from bench.projects.project import RealProject, load_projects
from bench.projects.trial import try_project

GREET = '#!/bin/sh\necho "hello $1"\n'
LOWER = [["greet.sh", '"hello $1"', "\"hello $1\" | tr 'A-Z' 'a-z'"]]
OTHER = [["greet.sh", GREET, '#!/bin/bash\nprintf "hello %s\\n" "${1,,}"\n']]


def make_test(name: str) -> dict[str, object]:
    path = f"tests/{name}.sh"
    file = f'[ "$(bash greet.sh {name.upper()})" = "hello {name}" ]\n'
    return {"text": name, "path": path, "file": file, "check": {"command": ["bash", path]}}


@pytest.mark.thorough
def test_a_project_goes_from_its_archive_to_a_proof_and_a_refusal_is_told(tmp_path: Path) -> None:
    source = tmp_path / "greet-1.0"
    source.mkdir()
    (source / "greet.sh").write_text(GREET)
    with tarfile.open(tmp_path / "greet-1.0.tgz", "w:gz") as packed:
        packed.add(source, "greet-1.0")
    raw = {
        "kind": "shell", "registry": "npm", "version": "1.0", "archive": "greet-*.tgz",
        "sentence": "Names may be given in capital letters", "worker": LOWER,
        "examiner": [
            {"edits": LOWER, "test": [make_test("ann")]},
            {"edits": OTHER, "test": [make_test("bob")]},
        ],
    }  # fmt: skip
    project = RealProject("greet", raw)
    archive = find_archive(project, tmp_path)
    proven = try_project(project, archive, tmp_path / "proven")
    assert (proven.is_proven, proven.refusals, proven.setup_runs) == (True, [], 0)
    idle = RealProject("idle", {**raw, "examiner": raw["examiner"][:1], "sentence": " "})
    refused = try_project(idle, archive, tmp_path / "refused")
    assert (refused.is_proven, len(refused.refusals), refused.steps[-1].name) == (False, 1, "run")
    assert [row.split(" | ")[-1] for row in write_table([proven, refused]).splitlines()[2:]] == [
        "yes |", "no |",
    ]  # fmt: skip


def test_the_list_has_projects_of_every_kind_that_is_asked_for() -> None:
    kinds = [str(project.raw["kind"]) for project in load_projects()]
    assert len(kinds) >= 10
    for word, least in {"Python": 3, "JavaScript": 3, "Go": 1, "shell": 1, "monorepo": 1}.items():
        assert sum(word in kind for kind in kinds) >= least, word
    assert any("without tests" in kind for kind in kinds)
