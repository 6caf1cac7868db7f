"""Secrets of fifty kinds come in on every way there is, and stand nowhere in what is kept."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

from goalkeeper.system.redaction import REDACTED
from tests.e2e.drives import FIX, Driven, shell, write
from tests.e2e.project import BROKEN, MENDED, Project, contract, criterion, story
from tests.planted import ENVIRON, KINDS

ALL = "\n".join(each.text for each in KINDS)
COLOURED = "\x1b[1mcorrect \x1b[0mhorse battery"  # no report in XML can have it
TOKEN = next(each.text for each in KINDS if each.kind == "gitlab")
LONG = f"{'so much to say ' * 12}{TOKEN} "  # where it is told, it is cut at 200 characters
LEAK = "cat secrets.txt; cat secrets.txt >&2\n"
CONFIG = """version = 1
[verify]
commands = [["grep", "-q", "fixed", "product.txt"]]
[witness]
isolation = "checkout"
setup = [["sh", "setup.sh"]]
"""
REPORT = f"""{LEAK}
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


FILES = {
    **BROKEN, ".goalkeeper/config.toml": CONFIG, "report.sh": REPORT, "setup.sh": LEAK,
    "secrets.txt": f"{ALL}\n{COLOURED}\n", "good.xml": write_report(is_good=True),
    "bad.xml": write_report(is_good=False), f"keys/{TOKEN}.txt": "x\n",
}  # fmt: skip


class Leaky(Driven):
    def ask(self, *_: object) -> None:
        told = f"Log in with {TOKEN}.\n\n{ALL}\n\n"
        asked = contract(criterion("C1", CHECK))
        self.brief.write_text(told + story(f"{'Part of it ' * 5}{TOKEN}", asked))
        self.commit("what is wanted")
        self.git("switch", "--quiet", "--create", f"user/{TOKEN}")


def test_M2_planted_secrets_are_nowhere_in_what_is_kept_or_shown(tmp_path: Path) -> None:
    project = Leaky(tmp_path, FILES)
    env = {**ENVIRON, **project.human()}
    talks = [{"think": ALL}, {"say": f"{ALL}\n{COLOURED}"}]
    works = [write(f"made/{TOKEN}.txt", ALL), {"branch": {"name": f"agent/{TOKEN}"}},
             {"commit": {"message": ALL}}, shell("cat secrets.txt >&2"), FIX,
             {"say": LONG}]  # fmt: skip

    end = project.drive({"G001": {"1": talks, "2": works}}, env=env)

    said = [end.out, end.err]
    evidence = ("--evidence", ALL)
    asked = [
        ("steer", "--kind", "annotate_ledger", *evidence, "--rationale", ALL),
        ("steer", "--kind", "add_subgoal", "--title", TOKEN, "--objective", ALL, *evidence,
         "--rationale", ALL),
        ("complete-goals",),
        ("record-review-blockers", "--goal-id", "G002", "--title", TOKEN, "--objective", ALL,
         *evidence),
        ("complete-goals",),
        ("blocked", "--goal-id", "G003", "--as", "needs-human", *evidence),
        ("unblock", "--goal-id", "G003", *evidence),
        ("classify-blocker", "--goal-id", "G003", "--classification", "resolvable", *evidence),
        ("goal", "create", "--objective", ALL),
        ("ulw", "on", "--client", "claude", "--session", "s1"),
        ("status", "--json"), ("why", "G001"), ("report",), ("report", "--format", "junit"),
        ("ledger", "show"), ("ledger", "export"), ("receipt", "show"),
        ("audit", "--goal-id", "G001", "--sarif"), ("complete-goals",), ("land",),
        ("state", "clear", "--force", "--mode", "ultragoal"),
    ]  # fmt: skip
    for words in asked:
        answer = project.run(*words, env=env, input=f"ulw: {ALL}".encode())
        assert answer.code == 0, (words, answer)
        said += [answer.out, answer.err]
    assert end.code == 0, end
    assert_clean(project, said)


def test_M2_what_a_failing_set_up_prints_is_told_without_secrets(tmp_path: Path) -> None:
    files = {**FILES, "setup.sh": "echo no network: $(cat secrets.txt) >&2; exit 1\n"}
    project = Project(tmp_path, files)
    project.begin(contract(criterion("C1", CHECK)), env=ENVIRON)
    project.write(MENDED)

    answer = project.run("judge", "--json", env=ENVIRON)

    said = [project.run(*words, env=ENVIRON).out for words in [("why", "G001"), ("report",)]]
    assert "no network" in answer.out
    assert_clean(project, [answer.out, answer.err, *said])


def assert_clean(project: Project, said: list[str]) -> None:
    kept = {str(path): path.read_text(errors="replace") for path in list_kept(project)}
    for each in KINDS:
        core = each.core[:12]
        shown = [text for text in said if core in text]
        assert not shown, (each.kind, shown[0][:2000])
        assert not [path for path, text in kept.items() if core in text], each.kind
    assert not [path for path in kept if TOKEN in path]
    assert [path for path, text in kept.items() if REDACTED in text]


def list_kept(project: Project) -> list[Path]:
    """All that goalkeeper wrote, but for git's objects and the work itself."""
    home = project.home / ".local/state/goalkeeper"
    found = [*project.state.rglob("*"), *home.rglob("*")]
    work = (home / "trees", home / "worktrees")
    return [p for p in found if p.is_file() and not any(w in p.parents for w in work)]
