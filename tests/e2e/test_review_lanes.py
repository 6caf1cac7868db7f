"""`review --gate strict --agent`: goalkeeper has somebody try to break the work, in one line."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from goalkeeper.storage.lock import hold_lock
from tests.doubles import MISHAPS
from tests.e2e.drives import Act, Acts, contains, shell, write
from tests.e2e.reviews import AFTER, ASKED, BEFORE, Submitted, changed, codes, replayed, report
from tests.e2e.strict import answer
from tests.e2e.world import COMMAND, Answer, Word
from tests.tables import for_each

IN_LANE = 'cd "$GOALKEEPER_LANE" && '
PASSES = answer(report())
SECRET = "ghp_" + "0123456789" * 4
BLOCKERS = [f"it greets nobody but {SECRET}"]
OBJECTS = answer(changed(lambda d: d.update(status="failed", blockers=BLOCKERS)))
SPEC = f"It greets politely.\n\n```contract\n{json.dumps(ASKED)}\n```\n"
SETS_UP = "version = 1\n[witness]\nisolation = '{}'\nsetup = [['sh', 'build.sh']]\n"
BUILD = """\
mkdir -p .venv/bin
printf '#!/bin/sh\\nsh greet.sh "$@"\\n' > .venv/bin/greet
chmod +x .venv/bin/greet
"""


class Looked(Submitted):
    """Work on a branch, and a scripted agent that is asked to break it."""

    def words(self, acts: Acts, *words: Word, spec: str = "") -> tuple[Word, ...]:
        script = self.beside("script.json", json.dumps({"acts": MISHAPS, "*": acts}))
        asked = ("--gate", "strict", "--agent", "rehearsal", "--script", script)
        asked_for = spec or self.beside("spec.md", SPEC)
        return ("review", "--spec", asked_for, *asked, *words, "--json")

    def look(self, acts: Acts, *words: Word) -> Answer:
        """As a human, who may hand in files from beside the repository."""
        return self.run(*self.words(acts, *words), env=self.human())


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Looked:
    """For looks that change nothing: that they do not is a test of its own."""
    return Looked(tmp_path_factory.mktemp("looked"))


def test_honest_work_that_nobody_can_break_passes_in_one_line_that_writes_nothing(
    tmp_path: Path,
) -> None:
    looked = Looked(tmp_path)
    looked.git("checkout", "--quiet", "main")
    looked.human()
    before, told = looked.everything(), tmp_path / "told"
    reads = shell(f'{{ sh greet.sh Ada; echo "run ${{GOALKEEPER_RUN-none}}"; }} > {told}')
    prompt = ("# Goal WORK: ", "It greets politely.", "git diff ", "- C1: ")

    seen = looked.look([*map(contains, prompt), reads, PASSES], "--branch", "work")

    assert (seen.code, seen.json["verdict"], seen.json["findings"]) == (0, "pass", []), seen
    assert seen.err == f"qa: rehearsal looks at tree {seen.json['candidate']['tree'][:12]}\n"
    (lane,) = seen.json["lanes"]
    assert [lane[name] for name in ("role", "word", "agent", "model", "trust", "ending")] == [
        "qa", "clear", "rehearsal", "rehearsal", "independent", "ok",
    ]  # fmt: skip
    assert (lane["tree"], lane["report"]) == (seen.json["candidate"]["tree"], report())
    assert told.read_text() == "hello Ada\nrun none\n"
    assert looked.everything() == before
    assert not looked.state.exists()
    assert looked.git("worktree", "list").count("\n") == 1


def test_what_an_agent_objects_to_fails_the_review_and_whose_voice_it_is_is_told(
    tmp_path: Path,
) -> None:
    looked = Looked(tmp_path)
    looked.write({"notes.txt": "not committed\n", "spec.md": SPEC})
    words = looked.words([OBJECTS], spec="spec.md")

    seen = looked.run(*words)  # by an agent
    page = looked.run(*words[:-1], env=looked.human())

    assert (seen.code, seen.json["verdict"]) == (1, "fail"), seen
    assert codes(seen.json) == [("lanes.qa", "lane-objects")] * 2
    assert "it greets nobody" in seen.json["findings"][1]["message"]
    (lane,) = seen.json["lanes"]
    assert (lane["word"], lane["trust"], len(lane["objections"])) == ("objects", "reported", 2)
    assert (page.code, SECRET in page.out + seen.out) == (1, False)
    assert "qa    objects  rehearsal  rehearsal  independent" in page.out
    assert "lanes.qa  lane-objects  executorQa.blockers: 1 blocker(s) stand" in page.out
    assert not looked.state.exists()


def _differs() -> Act:
    spoiled = replayed("named", "Ada", prints="hi\n")
    return answer(changed(lambda d: d["artifactRefs"].__setitem__(0, spoiled)))


@for_each(
    ("acts", "told"),
    [
        ([], "there is no answer.json: missing"),
        ([answer(report("C9"))], "'C9' is no part of this contract: C1, WORK"),
        ([_differs()], "output differs: line 1 was 'hi', is 'hello Ada'"),
    ],
    ids=["none", "about something else", "not borne out"],
)
def test_an_agent_that_gives_no_answer_that_counts_fails_the_review(
    looked: Looked, acts: Acts, told: str
) -> None:
    seen = looked.look(acts)

    assert (seen.code, seen.json["verdict"]) == (1, "fail"), seen
    assert {code for _, code in codes(seen.json)} == {"lane-unusable"}
    assert told in "; ".join(found["message"] for found in seen.json["findings"])
    assert [lane["word"] for lane in seen.json["lanes"]] == ["unusable"]


@pytest.mark.needs("bwrap")
def test_an_agent_that_changes_files_fails_the_review_where_nothing_holds_it(
    looked: Looked,
) -> None:
    words = looked.words([write("greet.sh", "echo hello Ada\n"), PASSES])
    hidden = shutil.which("bwrap") or "bwrap"
    wall = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", hidden, COMMAND)

    done = subprocess.run(
        [*wall, *words], cwd=looked.root, env={**looked.environ(), **looked.human()},
        capture_output=True, check=False,
    )  # fmt: skip

    said: Any = json.loads(done.stdout)
    assert (done.returncode, codes(said)) == (1, [("lanes.qa", "lane-unusable")])
    assert said["findings"][0]["message"] == "it changed files:  M greet.sh"


def test_an_agent_is_asked_when_all_else_is_settled(tmp_path: Path) -> None:
    looked = Looked(tmp_path, after={"greet.sh": "echo hi\n"})

    seen = looked.look([PASSES])
    page = looked.run(*looked.words([PASSES])[:-1], env=looked.human())

    assert codes(seen.json) == [("criteria.C1", "criterion-failed")]
    assert (seen.json["lanes"], seen.json["unasked"], seen.err) == ([], ["qa"], "")
    assert "The qa lane was not asked: settle the rest first." in page.out


@for_each(
    ("words", "problem"),
    [
        (("--agent", "claude"), "only the strict gate asks an agent"),
        (("--gate", "standard", "--script", "s.json"), "only the strict gate asks an agent"),
        (("--gate", "standard", "--model", "m"), "only the strict gate asks an agent"),
        (
            ("--gate", "strict", "--agent", "claude", "--executor-qa-json", "{}"),
            "an agent and --executor-qa-json are two reports",
        ),
        (("--gate", "strict", "--agent", "rehearsal"), "the rehearsal agent needs a --script"),
    ],
)
def test_an_agent_that_is_not_to_be_asked_is_a_mistake_of_the_command_line(
    looked: Looked, words: tuple[str, ...], problem: str
) -> None:
    seen = looked.run("review", *words, "--json", env=looked.human())

    assert (seen.code, seen.reason) == (2, "usage"), seen
    assert problem in seen.json["error"]["message"]


def test_settings_may_ask_for_the_strict_gate_and_start_no_agent(tmp_path: Path) -> None:
    looked = Looked(tmp_path)
    settings = '[gate]\ndefault = "strict"\n[agents]\ndefault = "claude"\n'
    looked.write({".goalkeeper/config.toml": settings})
    named = [word for word in looked.words([PASSES]) if word not in {"--gate", "strict"}]

    seen = looked.run(*named, env=looked.human())
    nobody = looked.run(*named[:3], "--json", env=looked.human())

    assert (seen.code, seen.json["gate"]) == (0, "strict"), seen
    assert (codes(nobody.json), nobody.err) == ([("executorQa", "missing-section")], "")
    mend = "goalkeeper review --gate strict --agent NAME, or --executor-qa-json FILE"
    assert nobody.json["findings"][0]["mend"] == mend


def test_two_at_once_do_not_end_each_others_agents(looked: Looked) -> None:
    looked.look([PASSES])
    (lock,) = looked.home.rglob("review-*.lock")

    with hold_lock(str(lock), shared=False, timeout_seconds=0):
        seen = looked.look([PASSES])

    assert (seen.code, seen.reason) == (75, "lock-busy"), seen


@pytest.mark.needs("bwrap")
@for_each(
    ("isolation", "human", "verdict"),
    [("", True, "pass"), ("", False, "fail"), ("checkout", True, "fail")],
    ids=["in a sandbox", "by a program of an agent's", "without a sandbox"],
)
def test_an_independent_lane_may_replay_any_tool_of_the_project_in_a_sandbox(
    tmp_path_factory: pytest.TempPathFactory, isolation: str, human: bool, verdict: str
) -> None:
    files = {".goalkeeper/config.toml": SETS_UP.format(isolation), "build.sh": BUILD}
    place = tmp_path_factory.mktemp("tools")
    looked, told = Looked(place, {**BEFORE, **files}, AFTER), place / "told"
    looked.write({"spec.md": SPEC})
    shown = replayed("named", prints="hello Ada\n")
    shown["replay"]["command"] = [".venv/bin/greet", "Ada"]
    uses = shell(f".venv/bin/greet Bob > {told}")
    acts = [uses, answer(changed(lambda d: d["artifactRefs"].__setitem__(0, shown)))]

    words = looked.words(acts, spec="spec.md")
    seen = looked.run(*words, env=looked.human() if human else None)

    assert seen.json["verdict"] == verdict, seen
    assert told.read_text() == ("" if isolation else "hello Bob\n")  # a sandbox has lent it
    if verdict == "fail":
        assert "'.venv/bin/greet Ada' is no entry point" in seen.json["findings"][0]["message"]
