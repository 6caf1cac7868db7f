"""Plans, workers and users that do what nobody should: nothing false lands, and nothing is lost."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Act, Script, shell
from tests.e2e.world import COMMAND
from tests.fault.rig import wait_until

A, B, C = (Step(f"parts/{name}.txt") for name in "abc")
VERSION = "plan_version: 1.7\n\n"
GOOD = VERSION + Session("one", [A]).write(1)
MESSAGE = "fix(step1): mend parts/a.txt for good"
COMMIT = f"git add -A; git -c user.name=w -c user.email=w@w commit -qm '{MESSAGE}'"
CAMPAIGN = "$(git for-each-ref --format='%(refname)' 'refs/heads/goalkeeper/campaign-*')"


@pytest.fixture
def campaigned(tmp_path: Path) -> Campaigned:
    return Campaigned(tmp_path)


def states(shown: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {each["id"]: each["status"] for each in shown["sessions"]}


# Plans


def test_a_plan_that_is_refused_changes_nothing(campaigned: Campaigned) -> None:
    campaigned.write({"good.md": GOOD})
    campaigned.commit("a plan")
    campaigned.ok("campaign", "plan", "--from", "good.md")
    (campaigned.root / "empty").mkdir()
    (campaigned.root / "pipes").mkdir()
    os.mkfifo(campaigned.root / "pipes/S01.md")
    os.symlink("loop.md", campaigned.root / "loop.md")
    two = Session("two", [B], after="Session 1").write(2)
    texts: dict[str, str | bytes] = {
        "nothing.md": "", "blank.md": "\n\r\n \t", "latin.md": GOOD.encode() + b"\xff",
        "wide.md": GOOD.encode("utf-16"), "binary.md": GOOD.replace("mend", "m\0nd"),
        "bell.md": GOOD.replace("mend", "m\x07nd"), "large.md": GOOD + "x\n" * (9 << 20),
        "half.md": GOOD[: len(GOOD) // 2],
        "unfenced.md": GOOD.replace("## Scope Fence", "## Fence"),
        "circle.md": VERSION + Session("one", [A], after="Session 2").write(1) + two,
        "twice.md": VERSION + Session("one", [A]).write(1) * 2,
        "outside.md": GOOD.replace("- Files: parts/a.txt", "- Files: ../../etc/passwd"),
        "wild.md": GOOD.replace('"^fix', '"(x+)+^fix'), "range.md": GOOD.replace(
            "- Depends on: none", "- Depends on: Session 2 to 999999"),
        "deep.yaml": "sessions: " + "[" * 9999, "bomb.yaml": "sessions: &a [*a, *a]\n",
    }  # fmt: skip
    campaigned.write(texts)
    before = campaigned.bytes_of_state(), campaigned.git("for-each-ref")
    sources = [("--from", name) for name in (*texts, "missing.md", "empty", "loop.md")]

    for words in (*sources, ("--from-specs", "empty"), ("--from-specs", "pipes")):
        answer = campaigned.run("campaign", "plan", *words, "--json")
        assert answer.code in {1, 2, 3}, (words, answer)
        assert "Traceback" not in answer.err, (words, answer)
        assert len(answer.json["error"]["message"]) < 5000, words
        assert (campaigned.bytes_of_state(), campaigned.git("for-each-ref")) == before, words


def test_a_session_spec_that_somebody_edited_makes_no_campaign(campaigned: Campaigned) -> None:
    campaigned.write({"plan.md": VERSION + A.write(1) + B.write(2)})
    campaigned.ok("campaign", "decompose", "--from", "plan.md", "--out", "specs")
    spec = campaigned.root / "specs/S01.md"
    text = spec.read_text()
    for old, new, said in (
        ("commit_count: 1", "commit_count: 9", "commit_count is not what the steps say (1)"),
        ("  - parts/a.txt\n", "  - parts/b.txt\n", "expected_paths is not what the steps say"),
        ("Session 1 of 2", "Session 1 of 3", "they do not agree on how many sessions there are"),
        ("# Session 1", "# Session 2", "there is a Session 2 already"),
    ):
        assert old in text
        spec.write_text(text.replace(old, new, 1))
        answer = campaigned.run("campaign", "plan", "--from-specs", "specs", "--json")
        assert answer.code == 3
        assert said in answer.json["error"]["message"]
    assert not list(campaigned.state.glob("campaigns/*"))


def test_findings_that_are_alike_are_summed_up_on_the_page_and_whole_in_json(
    campaigned: Campaigned,
) -> None:
    many = "".join(Session(f"s{n}", [A], touch="**").write(n) for n in range(1, 21))
    campaigned.write({"plan.md": VERSION + many})

    page = campaigned.run("campaign", "check", "--from", "plan.md").out
    found = campaigned.run("campaign", "check", "--from", "plan.md", "--json").json["findings"]

    assert page.count("advice (fences-overlap) line ") == 5
    assert "advice (fences-overlap): and 14 more like it; --json has all" in page
    assert len(found) == 19


# Workers


LEAVING = (
    "git checkout -q --detach; {commit}",
    "git checkout -q --orphan another; {commit}",
    "git checkout -q -b another; {commit}",
    "{commit}; git reset -q --soft HEAD^; git stash -q; git stash pop -q",
)


@pytest.mark.thorough
def test_workers_that_leave_their_branch_land_only_their_work(campaigned: Campaigned) -> None:
    steps = [Step(f"parts/{name}.txt") for name in "abcd"]
    commits = [COMMIT.replace(A.path, step.path) for step in steps]
    leaving = [each.format(commit=commit) for each, commit in zip(LEAVING, commits, strict=True)]
    campaigned.plan_sessions(
        *(Session("leaves", [step]) for step in steps),
        scripts=[
            {"*": [mend(step.path), shell(each)]} for step, each in zip(steps, leaving, strict=True)
        ],
    )

    assert campaigned.work(parallel=4).code == 0
    titles = [MESSAGE.replace(A.path, step.path) for step in steps]
    assert sorted(campaigned.list_landed()) == titles
    changed = campaigned.git("diff", "--name-only", "main", campaigned.show()["branch"])
    assert changed.split() == [step.path for step in steps]


TAKING = (
    "git -c user.name=w -c user.email=w@w merge -q --allow-unrelated-histories others",
    "git -c user.name=w -c user.email=w@w rebase -q others",
    "git reset -q --hard others",
    "git -c user.name=w -c user.email=w@w cherry-pick others",
)


@pytest.mark.thorough
def test_what_workers_take_from_another_branch_is_outside_of_their_fences(
    campaigned: Campaigned,
) -> None:
    campaigned.git("checkout", "-q", "-b", "others")
    campaigned.write({"parts/f.txt": "not proven\n"})
    campaigned.commit("unproven work")
    campaigned.git("checkout", "-q", "main")
    steps = [Step(f"parts/{name}.txt", on_failure="escalate") for name in "abcd"]
    campaigned.plan_sessions(
        *(Session("takes", [step]) for step in steps),
        scripts=[
            {"*": [shell(each), mend(step.path)]} for step, each in zip(steps, TAKING, strict=True)
        ],
    )

    sessions = campaigned.work(parallel=4).json["sessions"]

    assert [each["status"] for each in sessions] == ["blocked"] * 4
    assert campaigned.list_landed() == []
    for each in sessions:
        assert "parts/f.txt" in campaigned.run("why", "G001", "--run", each["run_id"]).out


@pytest.mark.thorough
def test_a_worker_that_exits_77_keeps_what_it_proved_and_others_go_on(
    campaigned: Campaigned,
) -> None:
    half: Script = {"G001": [mend(A.path)], "G002": [mend(C.path, "half"), {"exit": 77}]}
    campaigned.plan_sessions(
        Session("two steps", [A, C]), Session("beside", [B]),
        scripts=(half, {"*": [mend(B.path)]}),
    )  # fmt: skip

    shown = campaigned.work().json

    assert states(shown) == {"S01": "blocked", "S02": "landed"}
    assert "77" in shown["sessions"][0]["why"][0]
    assert [each["step"] for each in shown["sessions"][0]["missing"]] == [2]
    (campaigned.stories / "S01.json").write_text(
        '{"G002": [{"write": {"path": "parts/c.txt", "text": "fixed\\n"}}]}'
    )
    campaigned.ok("campaign", "unblock", "S01", "--reason", "it may now", env={})
    assert states(campaigned.work().json) == {"S01": "landed", "S02": "landed"}
    assert campaigned.read_head("parts/a.txt") == campaigned.read_head("parts/c.txt") == "fixed"


@pytest.mark.thorough
def test_what_a_worker_leaves_for_shells_is_noticed_and_a_human_is_asked(
    campaigned: Campaigned,
) -> None:
    campaigned.plan_sessions(
        Session("plants", [A]), Session("after", [B], after="Session 1"),
        scripts=(
            {"*": [mend(A.path), shell("echo alias ls=rm > ~/.bash_login")]},
            {"*": [mend(B.path)]},
        ),
    )  # fmt: skip

    shown = campaigned.work().json

    assert states(shown) == {"S01": "blocked", "S02": "waiting"}
    assert "~/.bash_login" in shown["sessions"][0]["why"][0]
    assert campaigned.list_landed() == []


@pytest.mark.thorough
def test_a_worker_that_lands_its_own_work_is_told_of_and_what_is_proven_comes_to_the_user(
    campaigned: Campaigned,
) -> None:
    moves = shell(f"{COMMIT}; git update-ref {CAMPAIGN} HEAD")
    script: Script = {"*": [mend(A.path), moves]}
    campaigned.plan_sessions(
        Session("hasty", [A]), Session("after", [B], after="Session 1"),
        scripts=(script, {"*": [mend(B.path)]}),
    )  # fmt: skip

    shown = campaigned.work().json

    assert states(shown) == {"S01": "landed", "S02": "landed"}
    (moved,) = shown["moved_by_others"]
    assert (
        f"somebody else moved its branch to {moved[:7]}" in campaigned.run("campaign", "report").out
    )
    answer = campaigned.run("campaign", "land", "--json")
    assert (answer.code, answer.json["how"]) == (0, "fast-forward")
    assert campaigned.run("campaign", "receipt", "--json").code == 0
    found = {path.name: path.read_text() for path in (campaigned.root / "parts").iterdir()}
    assert (found["a.txt"], found["b.txt"]) == ("fixed\n", "fixed\n")


@pytest.mark.thorough
def test_landed_work_that_a_worker_takes_off_the_branch_is_missed_though_nothing_follows(
    campaigned: Campaigned,
) -> None:
    takes = shell(f"git update-ref {CAMPAIGN} HEAD~1")
    stops = B._replace(on_failure="escalate")
    campaigned.plan_sessions(
        Session("one", [A]), Session("takes", [stops], after="Session 1"),
        scripts=({"*": [mend(A.path)]}, {"*": [takes]}),
    )  # fmt: skip

    shown = campaigned.work().json

    assert shown["ended"] == "partial"
    assert "not on the branch any more: S01 G001/C1" in shown["detail"]
    assert campaigned.run("campaign", "receipt", "--json").reason == "no-receipt"


# Users


def wait_for(place: Path) -> Act:
    return shell(f"until test -e {place}; do sleep 0.1; done")


@pytest.mark.thorough
def test_a_user_may_remove_all_worktrees_while_agents_work(campaigned: Campaigned) -> None:
    here = campaigned.stories
    worktrees = campaigned.home / ".local/state/goalkeeper/worktrees"
    removes = shell(f"cd {here}; rm -rf {worktrees}; git -C {campaigned.root} worktree prune")
    scripts: tuple[Script, ...] = (
        {"*": {"1": [mend(A.path), removes, shell(f"touch {here}/gone")], "*": [mend(A.path)]}},
        {"*": {"1": [wait_for(here / "gone")], "*": [mend(B.path)]}},
    )
    campaigned.plan_sessions(Session("one", [A]), Session("two", [B]), scripts=scripts)

    assert campaigned.work(parallel=2).json["ended"] == "done"

    assert sorted(campaigned.list_landed()) == [
        "fix(step1): mend parts/a.txt for good", "fix(step1): mend parts/b.txt for good",
    ]  # fmt: skip


@pytest.mark.thorough
def test_what_a_user_does_to_the_copy_of_the_plan_the_branch_and_the_checkout_spoils_nothing(
    campaigned: Campaigned,
) -> None:
    campaigned.plan_sessions(Session("one", [A]), scripts=({"*": [mend(A.path)]},))
    (copy,) = campaigned.state.glob("campaigns/*/plan.md")
    copy.write_text(copy.read_text().replace("fixed", "never"))
    campaigned.git("switch", "--quiet", campaigned.show()["branch"])

    refused = campaigned.work()

    campaigned.git("switch", "--quiet", "-")
    assert refused.json["error"]["code"] == "branch-checked-out", "it would move beneath them"
    assert refused.json["error"]["hint"] == f"git -C {campaigned.root} switch -"
    shutil.rmtree(campaigned.root / "parts")
    campaigned.write({"mine.txt": "not committed\n"})
    assert campaigned.work().json["ended"] == "done"
    assert campaigned.list_landed() == [MESSAGE]
    assert campaigned.read_head("parts/a.txt") == "fixed"
    assert not (campaigned.root / "parts").exists()
    assert (campaigned.root / "mine.txt").read_text() == "not committed\n"


@pytest.mark.thorough
def test_a_worker_that_moves_the_users_branch_is_told_of(campaigned: Campaigned) -> None:
    moves = shell(f"{COMMIT}; git update-ref refs/heads/main HEAD")
    campaigned.plan_sessions(Session("moves", [A]), scripts=[{"*": [mend(A.path), moves]}])
    campaigned.work()

    (told,) = campaigned.run("campaign", "report", "--json").json["moved_refs"]
    assert told.startswith("S01: refs/heads/main ")
    assert "moved while its agent was at work" in campaigned.run("campaign", "report").out


@pytest.mark.needs("bwrap")
def test_records_and_worktrees_of_others_are_sealed_for_a_worker(campaigned: Campaigned) -> None:
    told, gate = campaigned.stories / "told", campaigned.stories / "gate"
    state, worktrees = campaigned.state, campaigned.home / ".local/state/goalkeeper/worktrees"
    places = f"{state}/campaigns/*/sessions {state}/runs/2* {worktrees}/*/2* {worktrees}/*/2*/G001"
    tries = f"for p in {places}; do echo x > $p/junk 2> /dev/null || echo denied >> {told}; done"
    lost = f"ls {state}/campaigns/*/sessions/junk {state}/campaigns/*/junk 2> /dev/null >> {told}"
    scripts: tuple[Script, ...] = (
        {"*": [wait_for(gate), mend(A.path)]},
        {"*": [shell(f"{tries}; {lost}; rm -f junk; touch {gate}"), mend(B.path)]},
    )
    campaigned.plan_sessions(Session("honest", [A]), Session("spoils", [B]), scripts=scripts)

    assert states(campaigned.work(parallel=2).json) == {"S01": "landed", "S02": "landed"}

    # A copy of its run and its own worktree are the only places that it can write to.
    assert told.read_text().split() == ["denied"] * 4
    assert [*state.rglob("junk")] == []


@pytest.mark.thorough
def test_a_merge_that_git_threw_away_is_made_again(campaigned: Campaigned) -> None:
    go, enough = campaigned.stories / "go", campaigned.stories / "enough"
    throws = shell(f"until test -e {enough}; do git gc --quiet --prune=now; done")
    campaigned.plan_sessions(
        Session("honest", [A]), Session("tidy", [B]),
        scripts=({"*": [mend(A.path)]}, {"*": [wait_for(go), throws, mend(B.path)]}),
    )  # fmt: skip

    running = subprocess.Popen(
        [COMMAND, *campaigned.words("--json", parallel=2)], cwd=campaigned.root,
        env=campaigned.environ({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_until(lambda: "session_ended" in campaigned.list_events(), "the end of the first")
    go.touch()
    wait_until(lambda: "batch_" in " ".join(campaigned.list_events()), "the first merge")
    enough.touch()
    running.communicate()
    again = campaigned.work(parallel=2)

    assert states(again.json) == {"S01": "landed", "S02": "landed"}
