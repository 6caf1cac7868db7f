"""What set-up makes judges the work, so no code of the work runs in it."""

from pathlib import Path

import pytest

from tests.e2e.drives import Driven, shell
from tests.e2e.project import Project, contract, criterion, verdicts

pytestmark = pytest.mark.needs("bwrap")
SETUP = (
    "mkdir venv && cp requirements.txt native.c venv && cp setup.py venv/ran && python3 -c '{}' && "
    "cat README* > venv/page && (cat parts/*; ls parts; true) > venv/parts"
)
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
    "README": "one",
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
    sees_page = criterion("C4", {"shell": "[ $(cat venv/page) = onethree ]"})
    seen = criterion("C1", {"shell": SEES_TWO})
    sees_package = criterion("C5", {"shell": '[ "$(echo $(cat venv/parts))" = __init__.py ]'})
    asked = contract(seen, criterion("C2", passes), sees_one, sees_page, sees_package)
    project.trust_settings()
    project.begin(asked)
    two = dict.fromkeys(("requirements.txt", "native.c", "setup.py", "README"), "two\n")
    parts = {"parts/__init__.py": PLANTS, "parts/more.py": PLANTS}
    project.write({**two, **parts, "product.py": PLANTS, "README.md": "three\n"})

    judged = project.judge("--isolation", "sandbox")

    # A page or package that is new is there, because a declaration may name it; code is empty.
    met = dict.fromkeys(("C1", "C3", "C4", "C5"), "passed")
    assert verdicts(judged) == {**met, "C2": "failed"}
    assert "set-up took the base's setup.py" in judged["conditions"]


def test_a_build_that_the_contract_frees_has_all_of_the_work(tmp_path: Path) -> None:
    project = Project(tmp_path, BASE)
    sees_code = criterion("C1", {"shell": "grep -q two venv/ran && test -f venv/sitecustomize.py"})
    project.trust_settings()
    project.begin(contract(sees_code, may_change=["setup.py"]))
    project.write({"product.py": PLANTS})
    kept = project.judge("--isolation", "sandbox")
    project.write({"setup.py": "two\n"})

    freed = project.judge("--isolation", "sandbox")

    assert (verdicts(kept), verdicts(freed)) == ({"C1": "failed"}, {"C1": "passed"})


FETCHES = """\
version = 1
[witness]
fetch = [["sh", "-c", "mkdir venv; (env; cat ~/.npmrc $SSL_CERT_FILE) > venv/fetched"]]
setup = [["sh", "-c", "env > venv/built; cat ~/.npmrc >> venv/built 2>&1; true"]]
"""


def test_only_fetching_has_what_leads_to_the_users_registries(tmp_path: Path) -> None:
    project = Project(tmp_path, {**BASE, ".goalkeeper/config.toml": FETCHES})
    project.write({"../home/.npmrc": "registry=ours\n", "../certificates/own.pem": "trusted\n"})
    certificate = str(project.home.parent / "certificates/own.pem")
    user = {"SSL_CERT_FILE": certificate, "PIP_INDEX_URL": "name:word@ours", "API_TOKEN": "a-word"}
    project.trust_settings()
    fetched = "grep -q ^PIP_INDEX_URL= venv/fetched && grep -q ^trusted venv/fetched && "
    seen = f"{fetched} grep -q registry=ours venv/fetched && ! grep -q a-word venv/fetched"
    unseen = "! grep -q PIP_INDEX_URL venv/built && ! grep -q ours venv/built && "
    asked = contract(
        criterion("C1", {"shell": f"{seen} && cat product.py | grep -q 1"}),
        criterion("C2", {"shell": f"{unseen} test -z $PIP_INDEX_URL && grep -q 1 product.py"}),
    )
    project.begin(asked)
    project.write({"product.py": "VALUE = 1\n"})

    judged = project.judge("--isolation", "sandbox", env=user)

    assert verdicts(judged) == {"C1": "passed", "C2": "passed"}, judged


MAKES = """\
version = 1
[witness]
setup = [
  ["mkdir", "-p", "venv/bin"],
  ["sh", "-c", "date +%s%N > venv/made; echo echo $PWD > venv/bin/tool"],
]
"""


def test_the_worker_has_the_set_up_of_the_checks_and_it_is_made_once(tmp_path: Path) -> None:
    driven = Driven(tmp_path, {"product.txt": "\n", ".goalkeeper/config.toml": MAKES})
    driven.trust_settings()
    is_same = criterion("C1", {"command": ["cmp", "venv/made", "product.txt"]})
    driven.ask(contract(is_same), contract(criterion("C1", {"shell": "grep -q / where.txt"})))
    works = shell("cp venv/made product.txt; echo spoilt > venv/made")
    tells = shell("sh venv/bin/tool > where.txt; cmp venv/made product.txt && pwd >> where.txt")

    end = driven.drive({"G001": [works], "G002": [tells]}, "--isolation", "sandbox")

    assert end.reason == "done", end
    driven.ok("land")
    said, real = (driven.root / "where.txt").read_text().split()
    assert said == real  # what carried the path of the checkout carries that of the worktree
    assert "venv" not in driven.git("ls-files").split("/")[0]
