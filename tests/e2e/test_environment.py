"""What fails for want of something outside of the tree is not red, and nobody is driven at it."""

from pathlib import Path

import pytest

from tests.e2e.project import Project, contract, criterion

TOOL = "#!/bin/sh\nexec grep -q broken product.txt\n"
FILES = {
    "product.txt": "broken\n",
    "requirements.txt": "requests\n",
    "test_product.py": "import requests\n",
    "Makefile": "test:\n\tno-such-runner\n",
    ".gitignore": ".venv/\nlocal.json\n.env\n__pycache__/\n",
}
LACKING: dict[str, dict[str, object]] = {
    "C1": {"shell": "no-such-runner"},
    "C2": {"command": ["sh", "-c", "no-such-runner"]},
    "C3": {"command": ["make", "test"]},
    "C4": {"command": ["python3", "-m", "unittest", "test_product"]},
}
RED = {"command": ["grep", "-q", "fixed", "product.txt"]}


def test_what_the_checkout_lacks_is_named_and_not_frozen(tmp_path: Path) -> None:
    project = Project(tmp_path, FILES)
    asked = [criterion(name, check) for name, check in LACKING.items()]
    project.begin(contract(*asked, criterion("C5", RED), may_change=["test_new.py"]))

    shown = project.check().json["criteria"]
    answer = project.run("contract", "freeze", "--goal-id", "G001", "--json")

    looks = {row["id"]: (row["look"], row["reason"]) for row in shown}
    assert [look for look, _ in looks.values()] == ["unknown"] * 4 + ["red"]
    assert all("no-such-runner" in looks[name][1] for name in ("C2", "C3")), looks
    assert "no module requests: the project declares it" in looks["C4"][1]
    assert (answer.code, answer.reason) == (1, "environment-lacks")
    assert [row["id"] for row in answer.json["error"]["facts"]["criteria"]] == [*LACKING]
    assert "goalkeeper init" in answer.json["error"]["hint"]
    ended = project.run("run", "--command", '["true"]')
    assert "the clean checkout lacks something" in ended.out + ended.err
    assert project.events("phase_began") == []
    project.write({".goalkeeper/config.toml": "version = 1\n[witness]\ntimeout = 500\n"})
    told = project.check().err
    assert "was changed after the plan was made, and the base's counts" in told
    assert "goalkeeper contract freeze --goal-id G001 --base now" in told


@pytest.mark.needs("bwrap")
def test_what_passes_only_with_untracked_files_is_refused_by_their_names(tmp_path: Path) -> None:
    project = Project(tmp_path, FILES)
    project.write({".venv/bin/tool": TOOL, ".env": "SECRET=1\n", "local.json": "{}\n"})
    (project.root / ".venv/bin/tool").chmod(0o755)
    here = str(project.root.resolve() / ".venv/bin/tool")
    asked = {
        "C1": {"command": ["tool"]},
        "C2": {"command": ["test", "-s", "local.json"]},
        "C3": {"command": [here]},  # environments carry the path that they were made for
        "C4": {"command": ["test", "-e", ".env"]},
        "C5": {
            "command": [
                "sh",
                "-c",
                "echo >> local.json && test -s local.json && grep -q fixed product.txt",
            ]
        },
    }
    project.begin(contract(*(criterion(name, check) for name, check in asked.items())))

    shown = {row["id"]: row for row in project.check("--isolation", "sandbox").json["criteria"]}

    looks = [shown[name]["look"] for name in asked]
    assert looks == ["unknown"] * 3 + ["red", "red"], shown
    named = "it passes with .venv, local.json of your checkout, which git does not track; without:"
    assert all(shown[name]["reason"].startswith(named) for name in ("C1", "C2", "C3")), shown
    assert (project.root / "local.json").read_text() == "{}\n"
