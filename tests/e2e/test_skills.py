"""Every command line that stands in a skill is run here, in an order that makes sense."""

import json
from collections.abc import Callable
from pathlib import Path

from goalkeeper.clients.install.parts import SKILLS
from tests.e2e.project import Contract, contract, criterion, story
from tests.e2e.skills import AS_AGENT, GREETING, Follower, files_of, lines_of
from tests.tables import for_each

GREETS = {"command": ["python3", "greet.py", "Ada"], "stdout": "^hello, Ada$"}
GATE = json.loads(files_of("ultragoal")["gate.json"])
CLEAN = {"findings": [], "evidence": "greet.py was read."}
# The reviewers say what the skill's example of a gate says.
REVIEWERS = {
    "*/cleaner": [{"answer": CLEAN}],
    "*/architect": [{"answer": GATE["architectReview"]}],
    "*/qa": [{"answer": GATE["executorQa"]}],
}
WORK = {"write": {"path": "greet.py", "text": GREETING}}
CHOICE = "We chose SQLite, because it is one file.\n"


def greeting(**more: object) -> Contract:
    return contract(criterion("C1", GREETS), **more)


def steer_and_triage(agent: Follower) -> None:
    later = contract(criterion("C1", {"file": "rows.txt"}), depends_on=["G001"])
    goals = [story("Greet", greeting()), story("Read", later), story("Count", later)]
    agent.keep("brief.md", "\n".join(goals))
    agent.follow("goalkeeper status", says="There is no plan")
    agent.follow("goalkeeper create-goals", says="with 3 goals")
    agent.follow("goalkeeper complete-goals", says="G001 is active")
    agent.follow("goalkeeper complete-goals --run", says="G001 is active")
    agent.follow("goalkeeper guard ask", 1, says="questions-closed")
    agent.follow("goalkeeper goal get", says="Goal tool: none")
    agent.follow("goalkeeper goal create", says="Goal tool: active")
    agent.follow("goalkeeper steer --kind add_subgoal", says="(G004)")
    agent.follow("goalkeeper steer --kind split_subgoal", says="(G005, G006)")
    agent.follow("goalkeeper steer --kind reorder_pending", says="Accepted")
    agent.follow("goalkeeper steer --kind revise_pending_wording", says="(G003)")
    agent.follow("goalkeeper steer --kind annotate_ledger", says="Accepted")
    agent.keep("contract.yaml", contract(criterion("C1", {"file": "docs/import.md"})))
    agent.follow("goalkeeper contract freeze --goal-id G004", says="Frozen: G004")
    agent.follow("goalkeeper classify-blocker --classification resolvable", says="resolvable")
    agent.follow("goalkeeper checkpoint --goal-id G001 --status failed", says="as failed")
    agent.follow("goalkeeper complete-goals", says="G004 is active")
    agent.act("checkpoint", "--goal-id", "G004", "--status", "blocked", "--evidence", "it waits")
    agent.follow("goalkeeper steer --kind mark_blocked_superseded", says="(G004)")
    agent.follow("goalkeeper complete-goals --retry-failed", says="G001 is active (attempt 2)")
    agent.follow("goalkeeper checkpoint --goal-id G001 --status blocked", says="as blocked")
    agent.follow("goalkeeper unblock", says="G001 is active again")
    agent.follow("goalkeeper judge", 1, says="C1 | FAIL")
    agent.follow("goalkeeper why", says="to do:")
    agent.follow("goalkeeper contract amend", 1, says="Only a human")
    agent.follow("goalkeeper record-review-blockers", says="review blocker G007 for G001")
    agent.follow("goalkeeper complete-goals", says="G007 is active")
    agent.follow("goalkeeper state doctor", says="sound")
    agent.follow("goalkeeper state repair", says="Nothing needed mending")
    agent.follow("goalkeeper ledger show", says="review_blockers_recorded")
    agent.follow("goalkeeper doctor", says="Installed in no client")
    agent.follow("goalkeeper state clear", says="kept in")


def need_a_human(agent: Follower) -> None:
    agent.keep("brief.md", story("Greet", greeting()))
    agent.follow("goalkeeper create-goals")
    agent.follow("goalkeeper complete-goals", says="G001 is active")
    agent.follow("goalkeeper classify-blocker --classification human_blocked", says="human_blocked")
    agent.follow("goalkeeper guard pause", says="allowed")
    agent.follow("goalkeeper blocked", says="needs-human")
    agent.follow("goalkeeper complete-goals", says="Blocked: G001")
    agent.act("state", "clear", "--force", "--mode", "ultragoal")


def have_it_reviewed(agent: Follower) -> None:
    agent.keep("brief.md", story("Greet", greeting()))
    agent.keep("script.json", {"*": REVIEWERS})
    agent.follow("goalkeeper create-goals", says="with 1 goal")
    agent.follow("goalkeeper complete-goals")
    agent.follow("goalkeeper goal create")
    agent.write({"greet.py": GREETING})
    agent.follow("goalkeeper judge", says="verdict: PASS")
    agent.follow("goalkeeper audit", says="0 blocking")
    agent.follow("goalkeeper agents list", 1, says="rehearsal")
    agent.follow("goalkeeper lanes run --goal-id G001 --role cleaner", 1, says="clear")
    agent.follow("goalkeeper lanes run --goal-id G001 --agent claude", says="qa")
    agent.follow("goalkeeper lanes run --goal-id G001 --agent claude --record-blockers")
    agent.follow("goalkeeper lanes show", says="these files")
    agent.follow(
        'goalkeeper checkpoint --goal-id G001 --status complete --evidence "greet.py greets by '
        'name; C1 passes"', says="All goals are complete."
    )  # fmt: skip
    agent.follow("goalkeeper status", says=": complete (1 complete)")
    agent.follow("goalkeeper ledger verify", says="sound")
    agent.follow("goalkeeper goal complete", says="Goal tool: complete")
    agent.commit("greet by name")
    agent.follow("goalkeeper receipt list", says="final")
    agent.follow("goalkeeper receipt verify")
    agent.follow("goalkeeper receipt issue --final")
    agent.follow("goalkeeper state handoff --to planning", says="planning")


def hand_in_reviews(agent: Follower) -> None:
    agent.keep("brief.md", story("Greet", greeting()))
    agent.follow("goalkeeper create-goals")
    agent.follow("goalkeeper complete-goals")
    agent.write({"greet.py": GREETING})
    agent.follow("goalkeeper judge")
    agent.follow("goalkeeper quality-gate init", says="fill it in")
    agent.follow("goalkeeper quality-gate validate", 1, says="row-not-passed")
    agent.follow("goalkeeper quality-gate schema", says="executorQa")
    agent.keep("gate.json", GATE)
    agent.follow("goalkeeper quality-gate validate", says="Nothing is in the way")
    agent.follow(
        'goalkeeper checkpoint --goal-id G001 --status complete --evidence "greet.py greets by '
        'name; reviewed"', says="All goals are complete."
    )  # fmt: skip
    agent.follow("goalkeeper checkpoint --help", says="--quality-gate-json")
    agent.keep("spec.md", story("Greet", greeting()))
    agent.keep("qa.json", GATE["executorQa"])
    agent.follow("goalkeeper lanes schema --role qa", says="adversarialCases")
    agent.follow("goalkeeper review", 1, says="weak-contract")
    agent.follow("goalkeeper review --spec", 1, says="Recorded as G002")
    agent.git("checkout", "-q", "-b", "feature")
    agent.commit("greet by name")
    agent.git("checkout", "-q", "main")
    agent.follow("goalkeeper review --branch feature", says="Verdict: pass")


def plan(agent: Follower) -> None:
    agent.follow("goalkeeper status", says="There is no plan")
    brief = files_of("ultraplan")["brief.md"]
    agent.follow("goalkeeper create-goals --gate strict --from-stdin", says="2 goals", given=brief)
    agent.act("state", "clear", "--force", "--mode", "ultragoal")
    agent.keep("brief.md", brief)
    agent.follow("goalkeeper create-goals --gate strict --brief-file", says="with 2 goals")
    agent.follow("goalkeeper create-goals --gate strict --archive", says="The old plan is in")
    agent.follow("goalkeeper contract check --goal-id G001", says="red      ok")
    agent.follow("goalkeeper contract check --goal-id G002", says="guard    ok")
    agent.follow("goalkeeper steer --kind annotate_ledger", says="Accepted")
    agent.follow("goalkeeper contract show --goal-id G001", says="not frozen yet")
    agent.follow("goalkeeper contract freeze --goal-id G001", says="Frozen: G001")
    agent.follow("goalkeeper contract freeze --goal-id G002", says="Frozen: G002")
    agent.follow("goalkeeper schema contract", says="may_change")


def drive(agent: Follower) -> None:
    waits = {"signal": {"kind": "blocked", "evidence": "the fixture is not there"}}
    agent.keep("brief.md", story("Greet", greeting()))
    agent.keep("script.json", {"*": {"1/impl": [waits], "*/impl": [WORK]}})
    agent.follow("goalkeeper status", says="There is no plan")
    agent.follow("goalkeeper agents list", 1, says="rehearsal")
    agent.follow("goalkeeper agents probe", 1, says="no claude on PATH")
    made = "goalkeeper run --brief-file .goalkeeper/cache/brief.md --agent claude"
    agent.follow(f"{made} --max-iterations 5 --max-cost 10 --dry-run", says="G001 new")
    agent.follow(f"{made} --max-iterations 5 --max-cost 10", 1, says="the fixture is not there")
    agent.follow("goalkeeper report", says=": blocked")
    agent.follow("goalkeeper why", says="the fixture is not there")
    agent.follow("goalkeeper contract check", says="red      ok")
    agent.follow("goalkeeper unblock", says="G001 is active again")
    agent.follow("goalkeeper run --agent claude", says=": done")
    agent.follow("goalkeeper run --agent claude --max-iterations 5", says=": done")
    agent.follow("goalkeeper run --agent claude --max-iterations 8", says=": done")
    agent.follow("goalkeeper land", says="is in")
    agent.follow("goalkeeper lanes show", 1, says="quality-gate")
    assert (agent.root / "greet.py").read_text() == GREETING
    agent.follow("goalkeeper judge", says="verdict: PASS")
    agent.follow("goalkeeper receipt list", says="final")
    agent.follow("goalkeeper due", 1, says="No goal of this plan recurs")
    agent.follow("goalkeeper ledger show", says="honest_exit")
    agent.follow("goalkeeper ledger verify", says="sound")
    agent.follow("goalkeeper state doctor", says="sound")


def hold(agent: Follower) -> None:
    agent.write({"Makefile": "test:\n\tpython3 greet.py Ada | grep -q Ada\n"})
    agent.commit("a check")
    agent.follow("goalkeeper ulw status", says="No session was held here.")
    agent.follow("goalkeeper ulw on", says="Ultrawork is on", given="greet by name")
    agent.follow("goalkeeper complete-goals", says="greet by name")
    agent.follow("goalkeeper ulw prove", 1, says="failed: G001")
    agent.write({"greet.py": GREETING})
    agent.follow("goalkeeper ulw prove", says="passed")
    agent.follow("goalkeeper classify-blocker", says="human_blocked")
    agent.follow("goalkeeper blocked", says="needs-human")
    agent.follow("goalkeeper state doctor", says="sound")
    agent.follow("goalkeeper ledger verify", says="sound")


def verify(agent: Follower) -> None:
    asked = contract(criterion("C1", {"question": "is the choice explained?"}))
    answers = files_of("aspirations-verify")["answers.json"]
    agent.plan(story("Choose", asked), env=AS_AGENT)
    agent.act("complete-goals")
    agent.write({"docs/choice.md": CHOICE})
    agent.follow("goalkeeper verify --goal-id G001", 1, says="not answered")
    agent.follow("goalkeeper verify --template", says='"q1"')
    agent.follow("goalkeeper schema answers", says='"q1_5"')
    agent.follow("goalkeeper why", says="C1 PENDING")
    agent.keep("answers.json", answers)
    agent.follow(f"{ANSWER}", says="Verified on this tree")
    agent.follow("goalkeeper verify --missing-criteria", says="Does the README lead to it?")
    agent.follow("goalkeeper judge", says="C1 | PASS")
    agent.follow("goalkeeper audit", says="0 blocking")
    agent.follow("goalkeeper explain", says="scope-touch")
    agent.follow("goalkeeper review", 1, says="Verdict:")
    agent.follow("goalkeeper checkpoint", says="All goals are complete.")
    agent.commit("a choice")
    agent.follow("goalkeeper receipt verify")
    agent.follow("goalkeeper due", 1)


def verify_a_hypothesis(agent: Follower) -> None:
    asked = [criterion("C1", {"question": "is it so?"}), criterion("C2", {"manual": "read it"})]
    believed = {"id": "one-file", "resolves_by": "2100-01-01T00:00:00Z"}
    agent.plan(story("Choose", contract(*asked, hypothesis=believed)), env=AS_AGENT)
    agent.act("complete-goals")
    agent.write({"docs/choice.md": CHOICE})
    agent.keep("answers.json", files_of("aspirations-verify")["answers.json"])
    agent.follow(f"{ANSWER} --result CONFIRMED", 1, says="C2")
    agent.follow("goalkeeper verify --goal-id G001 --criterion C2", 1, says="Only a human")


ANSWER = "goalkeeper verify --goal-id G001 --answers .goalkeeper/cache/answers.json"
PLAYS: dict[str, tuple[Callable[[Follower], None], ...]] = {
    "ultragoal": (steer_and_triage, need_a_human, have_it_reviewed, hand_in_reviews),
    "ralph": (drive,),
    "ultrawork": (hold,),
    "ultraplan": (plan,),
    "aspirations-verify": (verify, verify_a_hypothesis),
}


@for_each("skill", SKILLS)
def test_every_line_of_a_skill_does_what_the_skill_says(skill: str, tmp_path: Path) -> None:
    tried = set()
    for play in PLAYS[skill]:
        agent = Follower(tmp_path / play.__name__, skill)
        play(agent)
        tried |= agent.tried

    assert tried == lines_of(skill), "every line that stands in a skill is tried above"
