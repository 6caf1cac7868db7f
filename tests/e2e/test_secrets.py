"""Secrets of fifty kinds come in on every way there is, and stand nowhere in what is kept."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

from goalkeeper.system.redaction import REDACTED
from tests.e2e.drives import FIX, Driven
from tests.e2e.project import BROKEN, contract, criterion, story
from tests.planted import ENVIRON, KINDS

ALL = "\n".join(each.text for each in KINDS)
TOKEN = next(each.text for each in KINDS if each.kind == "gitlab")
CONFIG = 'version = 1\n[verify]\ncommands = [["true"]]\n[witness]\nisolation = "checkout"\n'
REPORT = """cat secrets.txt; cat secrets.txt >&2
grep -q fixed product.txt && cp good.xml r.xml && exit 0
cp bad.xml r.xml; exit 1
"""
CHECK = {"junit": ["sh", "report.sh"], "report": "r.xml"}


def write_report(is_good: bool) -> str:
    """A report whose tests are named after secrets, and quote them when they fail."""
    cases = []
    for each in KINDS:
        failure = "" if is_good else f"<failure message={quoteattr(each.text)}/>"
        name = quoteattr(f"test_login[{each.text}]")
        cases.append(f"<testcase classname='tests.test_it' name={name}>{failure}</testcase>")
    return f"<testsuite tests='{len(cases)}'>{''.join(cases)}</testsuite>"


class Leaky(Driven):
    def ask(self, *_: object) -> None:
        told = f"Log in with {TOKEN}.\n\n{ALL}\n\n"
        asked = contract(criterion("C1", CHECK))
        self.brief.write_text(told + story(f"Part {TOKEN}", asked))
        self.commit("what is wanted")


def test_M2_planted_secrets_are_nowhere_in_what_is_kept_or_shown(tmp_path: Path) -> None:
    files = {**BROKEN, ".goalkeeper/config.toml": CONFIG, "report.sh": REPORT, "secrets.txt": ALL,
             "good.xml": write_report(is_good=True), "bad.xml": write_report(is_good=False),
             f"keys/{TOKEN}.txt": "x\n"}  # fmt: skip
    project = Leaky(tmp_path, files)
    named = {"write": {"path": f"made/{TOKEN}.txt", "text": ALL}}
    env = {**ENVIRON, **project.human()}

    end = project.drive({"G001": {"1": [{"say": ALL}], "2": [named, FIX, {"say": ALL}]}}, env=env)

    said = [end.out, end.err]
    asked = [
        ("steer", "--kind", "annotate_ledger", "--evidence", ALL, "--rationale", ALL),
        ("ulw", "on", "--client", "claude", "--session", "s1"),
        ("status", "--json"), ("why", "G001"), ("report",), ("report", "--format", "junit"),
        ("ledger", "show"), ("receipt", "show"), ("audit", "--goal-id", "G001", "--sarif"),
    ]  # fmt: skip
    for words in asked:
        answer = project.run(*words, env=env, input=f"ulw: {ALL}".encode())
        said += [answer.out, answer.err]
    kept = {str(path): path.read_text(errors="replace") for path in list_kept(project)}
    assert end.code == 0, end
    assert project.data("goal_completed")
    for each in KINDS:
        shown = [text for text in said if each.core in text]
        assert not shown, (each.kind, shown[0][:2000])
        assert not [path for path, text in kept.items() if each.core in text], each.kind
    assert sum(REDACTED in text for text in kept.values()) >= 6
    assert [path for path in kept if path.endswith(".out")]


def list_kept(project: Driven) -> list[Path]:
    """All that goalkeeper wrote, but for git's objects and the work itself."""
    home = project.home / ".local/state/goalkeeper"
    found = [*project.state.rglob("*"), *home.rglob("*")]
    work = (home / "trees", home / "worktrees")
    return [p for p in found if p.is_file() and not any(w in p.parents for w in work)]
