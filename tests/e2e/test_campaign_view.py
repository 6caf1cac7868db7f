"""How a campaign is seen from outside: a live block, one session's output, windows of tmux."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Act, Script, shell, write
from tests.e2e.screens import Tmux, serve_tmux, write_gate
from tests.e2e.world import COMMAND, PLAIN_PATH
from tests.fault.rig import wait_until

A, B, C, D = (Step(f"parts/{name}.txt") for name in "abcd")
UP, CLEARED = "\x1b[1A", "\x1b[2K"
ODD = "\u202e\x85"  # they turn text around, and begin lines
WIDE = "日本語の見出しと長い題名の部品"


@pytest.fixture
def campaigned(tmp_path: Path) -> Iterator[Campaigned]:
    made = Campaigned(tmp_path)
    yield made
    (made.root.parent / "gate").touch()  # nobody waits on, whatever became of the test


@pytest.fixture
def tmux() -> Iterator[Tmux]:
    with serve_tmux() as server:
        yield server


def wait_here(campaigned: Campaigned) -> Act:
    """An agent that waits here until `let_go`."""
    return shell(write_gate(campaigned.root.parent / "gate"))


def let_go(campaigned: Campaigned) -> None:
    (campaigned.root.parent / "gate").touch()


def start(campaigned: Campaigned, *words: str, tmux: Tmux | None = None) -> subprocess.Popen[str]:
    env = campaigned.environ(tmux.environ if tmux else {})
    return subprocess.Popen(
        [COMMAND, *words], cwd=campaigned.root, env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def plan_one_that_waits(campaigned: Campaigned, sessions: int = 3) -> str:
    """A session that waits within its second step, one that waits for it, and a quick one."""
    planned = Session("slow", [A, B]), Session("after", [C], after="Session 1"), Session(WIDE, [D])
    scripts: Sequence[Script] = (
        {"G001": [{"say": "the first"}, mend(A.path)],
         "G002": [{"say": "the second"}, wait_here(campaigned), mend(B.path)]},
        {"*": [mend(C.path)]},
        {"*": [mend(D.path)]},
    )  # fmt: skip
    return campaigned.plan_sessions(*planned[:sessions], scripts=scripts[:sessions])


# The live block


@pytest.mark.thorough
def test_on_a_terminal_the_block_is_drawn_anew_in_its_place(campaigned: Campaigned) -> None:
    campaigned.plan_sessions(
        Session("one", [A]), Session("two", [B], after="Session 1"),
        scripts=({"*": [mend(A.path)]}, {"*": [mend(B.path)]}),
    )  # fmt: skip

    answer = campaigned.on_terminal(*campaigned.words(), errors_too=True)

    assert answer.code == 0, answer
    assert "Campaign 0 of 2 landed   1 at work" in answer.out
    assert UP in answer.out
    assert CLEARED in answer.out
    settled = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", answer.out)
    assert settled.count("S02 two: landed in ") == 1
    assert "waits for S01" in settled
    assert re.search(r"^S01 one  \S.*  rehearsal  \d+:\d\d", settled, re.MULTILINE)


@pytest.mark.thorough
def test_a_narrow_terminal_shows_what_fits_and_a_wider_one_the_rest(
    campaigned: Campaigned, tmux: Tmux
) -> None:
    slow = [{"say": "the first"}, wait_here(campaigned), mend(A.path)]
    campaigned.plan_sessions(
        Session("slow", [A]), Session("after", [C], after="Session 1"), Session(WIDE, [D]),
        scripts=({"*": slow}, {"*": [mend(C.path)]}, {"*": [mend(D.path)]}),
    )  # fmt: skip

    tmux.open_screen(campaigned, COMMAND, *campaigned.words(), columns=40, lines=9)
    narrow = tmux.wait_for("G001 impl 1/5", "1 of 3 landed", "landed in")
    assert max(map(cell_len, narrow)) <= 40
    rows = [line[:7] for line in narrow if line.startswith("S0")]
    assert rows[-3:] == ["S01 slo", "S02 aft", "S03 日本語"]
    status = campaigned.run("campaign", "status").out
    assert re.search(r"^S01 slow +G001 impl 1/5  rehearsal  \d+:\d\d$", status, re.MULTILINE)
    assert f"S03 {WIDE}  landed in " in status
    now = campaigned.show()["work"]
    assert (list(now), now["S01"]["now"]) == (["S01"], "G001 impl 1/5")

    tmux.resize(100, 20)
    wide = tmux.wait_for("rehearsal")
    assert sum("G001 impl 1/5  rehearsal" in line for line in wide) == 1

    let_go(campaigned)
    last = tmux.wait_for("ended: done", "next: goalkeeper campaign land")
    assert not any("at work" in line for line in last)  # the block is gone


# One session's output


@pytest.mark.thorough
def test_attach_follows_a_session_to_its_end_and_changes_nothing(campaigned: Campaigned) -> None:
    plan_one_that_waits(campaigned, sessions=2)
    running = start(campaigned, *campaigned.words("--json"))
    assert running.stderr  # it is no terminal, so each change is a line
    first = json.loads(running.stderr.readline())
    assert first == {"session": "S01", "status": "working", "state": "at work"}
    running.stderr.close()  # nobody needs to read them

    assert campaigned.refused("campaign", "attach", "S02") == "session-not-begun"
    attached = start(campaigned, "campaign", "attach", "S01")
    assert attached.stdout
    heard = [attached.stdout.readline()]
    while heard[-1] and "says the second\n" not in heard[-1]:
        heard.append(attached.stdout.readline())
    let_go(campaigned)
    out, err = attached.communicate()
    said = "".join(heard) + out

    assert (attached.returncode, err) == (0, "")
    assert said.startswith("S01 slow: at work\n")
    order = ["G001 iteration 1, impl: rehearsal works", "    says the first", "G001: proven",
             "G002 iteration 1, impl: rehearsal works", "    says the second", "G002: proven",
             "S01 slow: in the queue, proving on ", "S01 slow has ended: landed in "]  # fmt: skip
    places = [said.index(line) for line in order]
    assert places == sorted(places)
    queued = order[-2]  # the head may move meanwhile
    assert [line for line in order if said.count(line) != 1 and line != queued] == [], said
    with running:
        assert running.stdout
        assert json.loads(running.stdout.read())["ended"] == "done"
    assert running.returncode == 0
    before = campaigned.bytes_of_state()
    assert "S01 slow has ended: landed in " in campaigned.run("campaign", "attach", "1").out
    assert campaigned.bytes_of_state() == before


@pytest.mark.thorough
def test_attach_hands_programs_every_line_as_an_object(campaigned: Campaigned) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    chatty = shell(f"printf '{secret}\\n'")
    campaigned.plan_sessions(
        Session("one", [A]),
        scripts=({"*": [chatty, {"say": f"{secret} {ODD}"}, mend(A.path)]},),
    )
    campaigned.work()

    answer = campaigned.run("campaign", "attach", "S01", "--json")

    told = [json.loads(line) for line in answer.out.split("\n") if line]
    assert {each["session"] for each in told} == {"S01"}
    printed = [each for each in told if each.get("event") == "output"]
    assert printed[0]["line"]["type"] == "start"
    assert {each["stream"] for each in printed} == {"out"}
    assert {"exec", "judgement", "proven"} <= {each.get("event") for each in told}
    assert any(ODD in each["line"].get("text", "") for each in printed)
    assert told[-1]["ok"] is True
    assert secret not in answer.out
    shown = campaigned.run("campaign", "attach", "S01").out
    assert "\\x202e" in shown
    assert not {*ODD, secret} & {*shown, *shown.split()}


@pytest.mark.thorough
def test_attach_follows_a_session_that_bounces_into_its_next_run(campaigned: Campaigned) -> None:
    verify = "test $(wc -l < parts/b.txt) = $(wc -l < parts/a.txt)"
    campaigned.write({"parts/b.txt": "", "parts/a.txt": "one\n"})
    campaigned.plan_sessions(
        Session("longer", [Step(A.path, "test $(wc -l < parts/a.txt) = 3", text="3")]),
        Session("as long", [Step(B.path, verify, text="")]),
        scripts=(
            {"*": [write(A.path, "1\n2\n3\n")]},
            {"*": [{"say": "I copy"}, wait_here(campaigned), shell("cp parts/a.txt parts/b.txt")]},
        ),
    )  # fmt: skip
    running = start(campaigned, *campaigned.words("--json", parallel=2))
    (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
    wait_until(lambda: "batch_landed" in ledger.read_text(), "the first landed")
    attached = start(campaigned, "campaign", "attach", "S02")
    assert attached.stdout
    heard = attached.stdout.readline()  # it follows by now
    let_go(campaigned)
    said, _ = attached.communicate()
    out, _ = running.communicate()

    assert json.loads(out)["ended"] == "done"
    assert campaigned.read_head(B.path) == "1\n2\n3"
    assert heard == "S02 as long: at work\n"
    assert said.count("    says I copy") == 2
    assert "S02 as long: at work, recovery 1 of 2, because " in said
    assert "S02 as long has ended: landed in " in said


# Windows of tmux


@pytest.mark.thorough
def test_each_session_has_a_window_that_keeps_its_last_words(
    campaigned: Campaigned, tmux: Tmux
) -> None:
    name = f"goalkeeper-{plan_one_that_waits(campaigned)}"
    running = start(campaigned, *campaigned.words("--tmux"), tmux=tmux)

    tmux.wait_for("says the second", target=f"={name}:=S01")
    assert tmux.list_windows() == [f"{name} S01", f"{name} S03"]
    tmux.wait_for("has ended: landed in", target=f"={name}:=S03")
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    tmux.wait_for("Nobody works on S01 slow now", target=f"={name}:=S01")

    let_go(campaigned)
    resumed = start(campaigned, "campaign", "resume", "--tmux", tmux=tmux)
    resumed.communicate()

    assert (running.returncode, resumed.returncode) == (130, 0)
    assert f"tmux shows the sessions: tmux attach -t {name}\n" in err
    for session in ("S01", "S02", "S03"):
        tmux.wait_for("has ended: landed in", target=f"={name}:={session}")
    assert tmux.list_windows() == [f"{name} S0{number}" for number in (1, 2, 3)]


@pytest.mark.thorough
def test_a_campaign_goes_on_when_its_windows_are_ended(campaigned: Campaigned, tmux: Tmux) -> None:
    name = f"goalkeeper-{plan_one_that_waits(campaigned, sessions=2)}"
    running = start(campaigned, *campaigned.words("--tmux", "--json"), tmux=tmux)
    tmux.wait_for("says the second", target=f"={name}:=S01")

    tmux.ask("kill-server")
    let_go(campaigned)
    out, _ = running.communicate()

    assert json.loads(out)["ended"] == "done"
    assert tmux.list_windows() == [f"{name} S02"]  # it was admitted later


def test_without_tmux_nothing_is_begun(campaigned: Campaigned, tmp_path: Path) -> None:
    plan_one_that_waits(campaigned)
    (tmp_path / "bin").mkdir()
    for folder in PLAIN_PATH.split(":"):
        for name in {"git", "sh"} & {*os.listdir(folder)}:
            if not (tmp_path / "bin" / name).exists():
                (tmp_path / "bin" / name).symlink_to(Path(folder, name))

    words = campaigned.words("--tmux")
    refused = campaigned.refused(*words, env={"PATH": str(tmp_path / "bin")})

    assert refused == "tmux-missing"
    assert campaigned.list_events() == ["campaign_made"]


# Going on


@pytest.mark.thorough
def test_who_stops_watching_stops_nothing_and_resume_goes_on_with_what_is_not_done_on_its_terms(
    campaigned: Campaigned,
) -> None:
    first = plan_one_that_waits(campaigned, sessions=2)
    assert campaigned.refused("campaign", "resume") == "campaign-not-begun"
    running = start(campaigned, *campaigned.words("--json", "--max-tokens", "5000", parallel=1))
    wait_until(lambda: any(campaigned.state.glob("runs/*/phases/G002*.out")), "the second step")
    attached = start(campaigned, "campaign", "attach", "S01")
    assert attached.stdout
    assert attached.stdout.readline() == "S01 slow: at work\n"
    attached.send_signal(signal.SIGINT)
    left, _ = attached.communicate()
    assert attached.returncode == 130
    assert left.endswith("You do not watch S01 any more; nothing else has changed.\n")
    assert running.poll() is None
    campaigned.ok("campaign", "stop")
    running.communicate()
    told = campaigned.run("campaign", "attach", "S01").out
    assert "Nobody works on S01 slow now." in told
    assert "next: goalkeeper campaign resume" in told
    campaigned.ok("campaign", "plan", "--from", "plan.md")  # newer, and it never began
    let_go(campaigned)

    resumed = campaigned.run_process("campaign", "resume", "--json")

    shown = resumed.json
    assert f"this is campaign {first}" in resumed.err
    assert (shown["campaign_id"], shown["ended"]) == (first, "done")
    (ledger,) = campaigned.state.glob(f"campaigns/{first}/ledger.jsonl")
    began = [json.loads(line) for line in ledger.read_text().splitlines()]
    terms = [each["data"]["terms"] for each in began if each["kind"] == "campaign_began"]
    assert len(terms) == 2
    assert terms[0] == terms[1]
    again = campaigned.run("campaign", "resume", "--campaign", first, "--json")
    assert (again.reason, again.hint) == (
        "campaign-done", f"goalkeeper campaign land --campaign {first}"
    )  # fmt: skip


@pytest.mark.thorough
def test_a_campaign_that_lost_its_process_says_so_until_it_is_gone_on_with(
    campaigned: Campaigned,
) -> None:
    plan_one_that_waits(campaigned, sessions=1)
    running = start(campaigned, *campaigned.words("--json", parallel=1))
    wait_until(lambda: any(campaigned.state.glob("runs/*/phases/G002*.out")), "the second step")
    assert "nobody runs" not in campaigned.run("campaign", "status").err
    running.kill()
    running.communicate()

    lost = campaigned.run("campaign", "status")

    assert "nobody runs this campaign now" in lost.err
    assert "next: goalkeeper campaign resume" in lost.out
    let_go(campaigned)
    assert campaigned.run_process("campaign", "resume", "--json").json["ended"] == "done"
    assert "nobody runs" not in campaigned.run("campaign", "report").err
