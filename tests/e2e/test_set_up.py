"""What set-up makes judges the work, so no code of the work runs in it."""

from pathlib import Path

import pytest

from tests.e2e.project import Project, contract, criterion, verdicts

pytestmark = pytest.mark.needs("bwrap")
SETUP = "mkdir venv && cp requirements.txt native.c venv && cp setup.py venv/ran && python3 -c '{}'"
CONFIG = f"""\
version = 1
[witness]
setup = [["sh", "-c", "{SETUP.format("import product")}"]]
"""
BASE = {
    ".goalkeeper/config.toml": CONFIG,
    "requirements.txt": "one\n",
    "native.c": "int one;\n",
    "setup.py": "one\n",
    "product.py": "VALUE = 0\n",
    "test_product.py": "import unittest\nfrom product import VALUE\n\n\n"
    "class T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(VALUE, 1)\n",
}
PLANTS = """\
VALUE = 0
for place in ("unittest.py", "venv/sitecustomize.py"):
    with open(place, "w") as file:
        file.write("import sys; sys.exit(0)\\n")
"""
SEES_TWO = "grep -q two venv/requirements.txt && grep -q two venv/native.c"


def test_declarations_and_sources_of_the_work_count_and_its_code_does_not_run(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, BASE)
    passes = {"command": ["python3", "-m", "unittest", "test_product"]}
    sees_one = criterion("C3", {"shell": "grep -q one venv/ran"}, guard=True)
    asked = contract(criterion("C1", {"shell": SEES_TWO}), criterion("C2", passes), sees_one)
    project.trust_settings()
    project.begin(asked)
    two = dict.fromkeys(("requirements.txt", "native.c", "setup.py"), "two\n")
    project.write({**two, "product.py": PLANTS})

    judged = project.judge("--isolation", "sandbox")

    assert verdicts(judged) == {"C1": "passed", "C2": "failed", "C3": "passed"}
    assert "set-up took the base's setup.py" in judged["conditions"]
