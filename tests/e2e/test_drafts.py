"""A sentence becomes a contract: drafted apart, tried by the witness, accepted by a human."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.drafts import (
    ANN,
    BOB,
    FIRST,
    GREEN,
    GREET,
    OTHER,
    RIGHT,
    SECOND,
    SENTENCE,
    WORKS,
    Answer,
    Drafted,
    answer,
    check_greeting,
    examine,
)
from tests.e2e.drives import Acts, End, Script, shell, write
from tests.tables import for_each

# Whoever reads the visible tests can answer exactly these.
TABLE = shell(
    "{ echo '#!/bin/bash'; echo 'case $1 in'; grep -h '^# case' tests/*.sh | "
    "while read -r _ _ given said; do echo \"$given) echo 'hello $said';;\"; done; "
    "echo '*) echo \"hello $1\";;'; echo esac; } > greet.sh"
)


@pytest.fixture
def project(tmp_path: Path) -> Drafted:
    return Drafted(tmp_path)


def work(*acts: object, first: Answer = FIRST) -> Script:
    asked = examine(first)
    script = {goal: dict(turns) for goal, turns in asked.items() if isinstance(turns, dict)}
    script["*"]["*"] = acts
    return script


def test_a_sentence_is_drafted_worked_proven_and_landed(project: Drafted) -> None:
    told = {"expect_prompt": {"contains": "does not have yet: `greet.loud`"}}
    script = work(told, WORKS, first=answer(ANN, surface=["greet.loud"]))
    end = project.draft(script, "--accept-draft")
    assert (end.code, end.reason, end.next) == (0, "done", "goalkeeper land")
    assert "held out: 1 of 2 tests" in end.err  # what nobody was asked about is shown
    assert "contracts by: examiner (G001)" in end.out
    asked = [each["examiner"] for each in project.data("examiner_answered")]
    assert [each["number"] for each in asked] == [1, 2]
    assert all(len(each[name]) == 64 for each in asked for name in ("prompt", "answer"))
    rated, accepted = (each["draft"] for each in project.data("contract_drafted"))
    assert (rated.get("accepted_by"), accepted["accepted_by"]) == (None, "unattended")
    hidden = {test["held_out"] for test in accepted["tests"]}
    assert hidden == {True, False}  # one half is held out
    (seen,) = [test["text"] for test in accepted["tests"] if not test["held_out"]]
    (kept,) = [test["text"] for test in accepted["tests"] if test["held_out"]]
    (goal,) = project.ok("receipt", "show")["statement"]["predicate"]["goals"]
    draft = goal["draft"]
    assert (draft["tests"], draft["heldOut"], draft["acceptedBy"]) == (2, 1, "unattended")
    assert [each["answer"] for each in draft["examiners"]] == [each["answer"] for each in asked]
    assert draft["faultsNoticed"] == draft["faults"] > 0
    assert project.run("land").code == 0
    assert project.run("receipt", "verify").code == 0
    there = {path.name for path in (project.root / "tests").iterdir()}
    assert there == {"old.sh", seen.split("/")[-1].split()[0]}
    # What is held out stands in no file of the repository and in nothing that git keeps there.
    word = "ANN" if "ann" in kept else "Bob"
    assert project.git("log", "--all", "--format=%H", f"-G# case: {word}") == ""
    files = [path for path in project.root.rglob("*") if path.is_file()]
    assert [path for path in files if f"# case: {word}".encode() in path.read_bytes()] == []


def test_neither_an_answer_table_nor_a_change_of_ci_passes(project: Drafted) -> None:
    more = [write(path, "x\n") for path in (".github/workflows/more.yml", "notes.md", "lib/a.sh")]
    end = project.draft(work(TABLE, *more), "--accept-draft", "--max-iterations", "1")
    assert (end.code, end.reason) == (1, "max-iterations")
    states = {c["status"] for goal in project.ok("status")["goals"] for c in goal["criteria"]}
    assert states == {"PASS", "FAIL"}
    why = project.run("why", "G001").out
    assert "a wrong result" in why
    assert [line.split()[1:3] for line in why.splitlines() if "blocking scope-" in line] == [
        ["scope-never", ".github/workflows/more.yml:"]
    ]


def test_no_agent_accepts_a_draft_and_nobody_is_asked_twice(project: Drafted) -> None:
    end = project.draft(examine())
    assert (end.code, "draft-not-accepted" in end.out) == (1, True)
    assert end.next.endswith("--accept-draft")
    assert project.statuses() == {"G001": "pending"}
    for asked in (("status",), ("why", "G001")):
        assert End(*project.run(*asked)).next == "goalkeeper run"
    marked = {"CLAUDECODE": "1"}
    assert "draft-needs-human" in project.draft(examine(), "--accept-draft", env=marked).out
    assert project.data("contract_frozen") == []
    end = project.draft(work(WORKS), "--accept-draft")
    assert (end.code, end.reason) == (0, "done")
    assert len(project.data("examiner_answered")) == 2


def test_a_sentence_that_nobody_began_gives_way_to_a_better_one(project: Drafted) -> None:
    nothing = {"criteria": [], "reference": {}, "questions": [{"text": "what?", "why": "asdf"}]}
    said = project.say(examine(nothing, nothing))
    assert "draft-shows-nothing" in project.run(said[0], "asdf", *said[2:]).out
    left = project.draft(work({"say": "I only wait."}), "--accept-draft", "--max-iterations", "1")
    assert (left.code, left.reason) == (1, "max-iterations"), left
    assert "brief-changed" in project.run(said[0], "Greet Carl", *said[2:]).out


def test_no_examiner_is_asked_where_nobody_trusts_what_sets_the_project_up(
    project: Drafted,
) -> None:
    project.trusts = False
    settings = project.root / ".goalkeeper" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(
        '[verify]\ncommands = [["mix", "test"]]\n[witness]\nsetup = [["touch", "made.txt"]]\n'
    )
    end = project.draft(examine(), "--accept-draft")
    assert ("setup-not-trusted" in end.out, end.next) == (True, "goalkeeper trust")
    assert project.data("examiner_answered") == []


def test_keys_redraft_edit_and_accept(project: Drafted) -> None:
    script = work(WORKS)
    assert isinstance(script["*"], dict)
    script["*"]["2/examiner/2"] = [
        {"expect_prompt": {"contains": "Say hello to CARL"}},
        {"answer": answer(check_greeting("carl", "CARL", "carl"))},
    ]
    editor = project.home / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/what tests.carl.sh shows/what I want/' \"$1\"\n")
    editor.chmod(0o755)
    keys = b"r\nSay hello to CARL\ne\n"
    end = project.on_terminal(
        *project.say(script), keys=keys, env={"EDITOR": str(editor)}, errors_too=True
    )
    assert end.code == 0, end
    (frozen,) = (each["frozen"] for each in project.data("contract_frozen"))
    assert frozen["author"] == "human"
    texts = {each["text"] for each in json.loads(frozen["contract"])["criteria"]}
    assert texts == {"what tests/ann.sh shows", "what I want"}
    assert "[a]ccept, [e]dit, [r]edraft with a remark, [q]uit?" in end.out


def test_what_only_one_examiner_wants_needs_a_humans_yes(project: Drafted) -> None:
    strict = "#!/bin/sh\ncase $1 in *[!a-zA-Z]*) exit 3;; esac\n" + WORKS["write"]["text"]  # type: ignore[index]
    digits = {
        "path": "tests/digits.sh", "text": "bash greet.sh A1; [ $? = 3 ]\n",
        "check": {"command": ["bash", "tests/digits.sh"]},
    }  # fmt: skip
    script = examine(second=answer(BOB, digits, reference=strict))
    end = project.draft(script)
    assert project.rules() == {"ann": "", "bob": "", "digits": "one-reading"}
    assert "one examiner's reading" in end.out
    shown = project.on_terminal(*project.say(script), keys=b"a\ny\n", errors_too=True)
    assert "One examiner reads it so" in shown.out
    (frozen,) = (each["frozen"] for each in project.data("contract_frozen"))
    assert len(json.loads(frozen["contract"])["criteria"]) == 3


SOURCE = {
    "path": "tests/source.sh", "text": "grep -q tr greet.sh\n",
    "check": {"command": ["bash", "tests/source.sh"]},
}  # fmt: skip
ODD = {
    "path": "tests/odd.sh", "text": "[ $(( $(date +%N | sed 's/^0*//') % 2 )) = 1 ]\n",
    "check": {"command": ["bash", "tests/odd.sh"]},
}  # fmt: skip
NETWORK = {
    "path": "tests/network.sh", "text": "exec 3<>/dev/tcp/192.0.2.1/80\n",
    "check": {"command": ["bash", "tests/network.sh"], "timeout": 2},
}  # fmt: skip
WRONG = check_greeting("wrong", "ANN", "Ann")
MISSING = {
    "path": "tests/missing.sh", "text": "no-such-program greet.sh\n",
    "check": {"command": ["bash", "tests/missing.sh"]},
}  # fmt: skip


def test_a_test_that_shows_nothing_is_left_out_by_name(project: Drafted) -> None:
    tests = (ANN, GREEN, SOURCE, NETWORK, WRONG, MISSING)
    project.draft(examine(answer(*tests)))
    assert project.rules() == {
        "ann": "", "bob": "", "plain": "green-on-base", "source": "reads-the-repository",
        "network": "red-on-reference", "wrong": "red-on-reference", "missing": "red-on-reference",
    }  # fmt: skip


BAD = {
    "it says nothing": ([{"say": "done"}], "draft-unusable", "there is no answer.json"),
    "it breaks the schema": ([{"answer": {"criteria": 3}}], "draft-unusable", "expected a list"),
    "it is not there": ([{"exit": 3}], "examiner-failed", "crash"),
    "it finds nothing to check": (
        [{"answer": {"criteria": [], "questions": [{"text": "Which?", "why": "vague"}]}}],
        "draft-shows-nothing", "Which? (vague)",
    ),
    "all is there already": ([{"answer": answer(GREEN)}], "already-there", "green already"),
    "nothing of it can fail rightly": (
        [{"answer": answer(WRONG)}], "draft-shows-nothing", "red-on-reference",
    ),
}  # fmt: skip


@for_each("acts, reason, said", BAD.values(), BAD)
@pytest.mark.thorough
def test_what_examiners_do_wrong_is_named(
    tmp_path: Path, acts: Acts, reason: str, said: str
) -> None:
    project = Drafted(tmp_path)
    ran = tmp_path / "ran"
    verify = f'[verify]\ncommands = [["touch", "{ran}"]]\n'
    project.write({".goalkeeper/config.toml": verify})
    end = project.draft({"*": {"*/examiner": acts}})
    assert not ran.exists()  # nobody waits for guards of what does not count
    assert (end.code, f"refused ({reason})" in end.out, said in end.out) == (1, True, True), end
    assert project.data("contract_frozen") == []
    assert project.mine("greet.sh") == GREET


def test_a_draft_can_be_written_out_edited_and_run(project: Drafted) -> None:
    said = project.run(*project.say(examine(), "--out", "wish.md", "--json", command="draft"))
    assert (said.code, said.json["out"]) == (0, "wish.md")
    text = (project.root / "wish.md").read_text()
    assert (text.startswith(f"@goal: {SENTENCE}\n"), "```contract" in text) == (True, True)
    project.script.write_text(json.dumps(work(WORKS)))
    given = ("--brief-file", "wish.md", "--script", str(project.script))
    assert project.run("run", *given, "--isolation", "checkout").code == 0


def test_two_briefs_at_once_are_one_too_many(project: Drafted) -> None:
    end = project.run("run", SENTENCE, "--brief-file", "x.md", "--script", "x.json")
    assert (end.code, "two briefs" in end.err) == (2, True)
    assert project.run("run", " ", "--script", "x.json").code == 2


def test_nobody_accepts_a_draft_in_which_nothing_is_binding_unseen(project: Drafted) -> None:
    loud = '#!/bin/sh\necho "HELLO $1"\n'
    test = {
        "path": "tests/loud.sh", "text": "[ \"$(bash greet.sh ANN)\" = 'HELLO ANN' ]\n",
        "check": {"command": ["bash", "tests/loud.sh"]},
    }  # fmt: skip
    end = project.draft(examine(second=answer(test, reference=loud)), "--accept-draft")
    assert project.rules() == {"ann": "one-reading", "loud": "one-reading"}
    assert (end.code, "draft-not-accepted" in end.out) == (1, True), end
    assert project.data("contract_frozen") == []


def test_an_examiner_that_found_nothing_disputes_nothing(project: Drafted) -> None:
    nothing = {"criteria": [], "questions": [{"text": "Which?", "why": "vague"}]}
    project.draft(examine(second=nothing))
    assert project.rules() == {"ann": ""}


OWN_TESTS = """\
import subprocess, unittest
class Greets(unittest.TestCase):
    def test_number(self):
        said = subprocess.run(["bash", "greet.sh", "42"], capture_output=True, text=True).stdout
        self.assertEqual(said, "hello 42\\n")
    def test_old(self):
        self.fail("broken long before")
"""
VERIFIES = """\
version = 1
[verify]
commands = [["python3", "-m", "unittest", "discover"], ["make", "lint"]]
"""
LINTS = "lint:\n\t! grep -q case tests/*.sh\n"  # every drafted test has this word


@pytest.mark.thorough
def test_own_commands_guard_as_far_as_correct_work_can_pass_them(tmp_path: Path) -> None:
    project = Drafted(tmp_path)
    files = {"test_own.py": OWN_TESTS, ".goalkeeper/config.toml": VERIFIES, "Makefile": LINTS}
    project.write(files)
    project.commit("tests of its own")
    breaks = write("greet.sh", "#!/bin/sh\necho \"hello $1\" | tr 'A-Z42' 'a-z--'\n")
    script: dict[str, Any] = {"*": {**examine()["*"], "1": [breaks], "2": [WORKS]}}  # type: ignore[dict-item]

    end = project.draft(script, "--accept-draft")

    assert (end.code, end.reason) == (0, "done"), end
    (goal,) = project.ok("status")["goals"]
    seen = {each["id"]: (each["failed"], each["reason"]) for each in goal["criteria"]}
    assert seen["V1"] == (1, "1 tests hold; 1 failed before the goal began"), seen
    assert seen.keys() == {"C1", "C2", "V1"}
    (_, lint) = project.data("contract_drafted")[-1]["draft"]["assumptions"]
    assert lint.startswith("'make lint' guards nothing: correct work fails it, too: exit 2")


MAY_SKIP = """
import subprocess, unittest

class Own(unittest.TestCase):
    def test_it_greets(self):
        said = subprocess.run(["bash", "greet.sh", "x"], capture_output=True, text=True).stdout
        if not said:
            self.skipTest("it says nothing")
        self.assertEqual(said, "hello x\\n")
"""


@pytest.mark.thorough
def test_a_green_suite_notices_that_a_test_is_skipped_now(tmp_path: Path) -> None:
    project = Drafted(tmp_path)
    verify = '[verify]\ncommands = [["make", "test"]]\n'
    make = "test: lint\n\tpython3 -m unittest -q test_own\nlint:\n\t@python3 -m black greet.sh\n"
    runs = tmp_path / "runs"
    counts = f"with open({str(runs)!r}, 'a') as file: file.write('x')\n"
    project.write({"test_own.py": counts + MAY_SKIP, ".goalkeeper/config.toml": verify})
    project.write({"Makefile": make, "black.py": "open('greet.sh')\n"})
    project.commit("tests of its own")
    silent = write("greet.sh", f'[ "$1" = x ] && exit\n{RIGHT}')
    script: dict[str, Any] = {"*": {**examine()["*"], "1": [silent], "2": [WORKS]}}  # type: ignore[dict-item]

    end = project.draft(script, "--accept-draft")

    assert (end.code, end.reason) == (0, "done"), end
    (goal,) = project.ok("status")["goals"]
    failed = {each["id"]: each["failed"] for each in goal["criteria"]}
    assert (failed["V1"], failed["V2"]) == (0, 1)  # the linter, and the suite test by test
    # On the base, on a solution, on each of two iterations' work, and for the last proof; where
    # all passes, also with other expectations.
    assert len(runs.read_text()) == 7


CLAIMS = {"signal": {"kind": "contract-wrong", "evidence": "BOB is no name"}}
FAILS = {str(n): [write("greet.sh", f"#!/bin/sh\necho {n}\n")] for n in range(1, 9)}


@for_each(
    "turns, said",
    [({"*": [CLAIMS]}, "BOB is no name"), (FAILS, "failed three times")],
)
@pytest.mark.thorough
def test_a_worker_that_cannot_meet_a_draft_is_heard_and_drops_nothing(
    tmp_path: Path, turns: Script, said: str
) -> None:
    project = Drafted(tmp_path)
    ann, bob = check_greeting("deep/ann", "ANN", "ann"), check_greeting("deep/bob", "Bob", "bob")
    asked = examine(answer(ann), answer(bob, reference=OTHER))["*"]
    script: dict[str, Any] = {"*": {**asked, **turns}}  # type: ignore[dict-item]
    script["*"]["1/challenge"] = [
        {"expect_prompt": {"contains": said}},
        {"expect_prompt": {"contains": "# case: ANN ann"}},
        {"expect_prompt": {"contains": "# case: Bob bob"}},
        {"answer": {"verdict": "stands", "because": "the sentence says so"}},
    ]
    end = project.draft(script, "--accept-draft")
    assert (end.code, end.reason) == (1, "needs-human"), end
    assert said in end.detail
    assert "a fresh examiner says that it stands: the sentence says so" in end.detail
    assert len(project.data("contract_frozen")) == 1
    assert project.draft(script).reason == "needs-human"
    assert len(project.data("contract_challenged")) == 1  # nobody is asked again about the same


# It looks for drafted cases in all that lies in the home and the repository, also in git's objects.
SEARCH = """
import os, pathlib, subprocess, sys, zlib
ours = subprocess.run(["git", "ls-files", "-z"], capture_output=True).stdout
seen = b"".join(open(path, "rb").read() for path in ours.split(b"\\0") if os.path.isfile(path))
common = subprocess.run(["git", "rev-parse", "--git-common-dir"], capture_output=True, text=True)
tops = [os.environ["HOME"], os.path.dirname(os.path.abspath(common.stdout.strip()))]
wanted = [case for case in (b"ca" b"se: ANN", b"ca" b"se: Bob") if case not in seen]  # not this
for path in [p for top in tops for p in pathlib.Path(top).rglob("*") if p.is_file()]:
    data = path.read_bytes()
    try:
        data = zlib.decompress(data) if len(path.name) == 38 else data
    except zlib.error:
        pass
    if path.name != "script.json" and any(case in data for case in wanted):
        sys.exit(print(path))
sys.exit(1)
"""


@pytest.mark.needs("bwrap")
def test_neither_workers_nor_other_examiners_see_what_is_held_out(project: Drafted) -> None:
    finds = f"python3 -c {shlex.quote(SEARCH)}"
    looks = shell(f"{finds} > found.txt || rm found.txt")
    script: dict[str, Any] = {"*": {**work(looks, WORKS)["*"]}}  # type: ignore[dict-item]
    script["*"]["2/examiner"] = [
        shell(f'{finds} && mkdir "$GOALKEEPER_LANE/answer.json"'),
        {"answer": SECOND},
    ]
    end = project.draft(script, "--accept-draft")
    assert (end.code, end.reason) == (0, "done"), end
    names = project.git("ls-tree", "--name-only", project.branch())
    assert "found.txt" not in names, project.git("show", f"{project.branch()}:found.txt")
