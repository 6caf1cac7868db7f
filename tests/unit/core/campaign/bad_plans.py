"""Plans by hostile hands in few words, and what is done with every plan before it is frozen."""

import re

from goalkeeper.core.campaign.critic import criticise
from goalkeeper.core.campaign.decompose import decompose
from goalkeeper.core.campaign.document import read_plan
from goalkeeper.core.campaign.findings import CriticFinding
from goalkeeper.core.campaign.plan import MasterPlan
from goalkeeper.core.campaign.spec import write_spec
from goalkeeper.core.decode import decode, plain

VERSION = "plan version: 1.7\n"


def look_at(text: str) -> list[str] | list[CriticFinding]:
    """Do all that is done with a plan before it is frozen; return what is wrong with it."""
    read = read_plan(text, "plan.md")
    if isinstance(read, tuple):
        for problem in read:
            place = re.fullmatch(r"line ([0-9]+)|plan", problem.where)
            assert place, problem
            assert int(place[1] or 1) <= len(re.split("\r\n?|[\n\x85\u2028\u2029]", text)), problem
            assert "\n" not in problem.message, problem
        return [*map(str, read)]
    plan = read if read.sessions else decompose(read, "files")
    assert decode(MasterPlan, plain(plan)) == plan  # or its ledger could not be read
    for session in plan.sessions:
        write_spec(plan, session.id)
    found = criticise(plan, lambda _: ())
    for finding in found:
        assert finding.line or finding.where == "plan", finding
    return [*found]


def read(text: str) -> MasterPlan:
    found = read_plan(text)
    assert isinstance(found, MasterPlan), found
    return found


def problems(text: str) -> list[str]:
    found = read_plan(text)
    assert isinstance(found, tuple), found
    return [*map(str, found)]


def blocking(text: str) -> list[str]:
    plan = read(text)
    plan = plan if plan.sessions else decompose(plan, "files")
    return [each.rule for each in criticise(plan, lambda _: ()) if each.is_blocking]


def write_session(number: int = 1, *more: str, **fields: str) -> str:
    """A session in few words, with other fields."""
    said = {"depends": "none", "touch": "src", "files": "src/a.py", "verify": "`make test`",
            "checkpoint": "feat: add search", "manifest": "expected_paths: [src/a.py]",
            **fields}  # fmt: skip
    return f"""\
# Session {number}: Search
## Dependencies
- Depends on: {said["depends"]}
## Scope Fence
- Touch: {said["touch"]}
## Step 1: Do it
- Files: {said["files"]}
- Verify: {said["verify"]}
- Checkpoint: {said["checkpoint"]}
- Manifest:
  ```yaml
  {said["manifest"]}
  ```
{"".join(more)}## Exit Condition
- `make check`
"""


def write_step(number: int, depends: str = "none", path: str = "") -> str:
    path = path or f"src/{number}.py"
    return (
        f"## Step {number}: Do {number}\n- Files: {path}\n- Depends on: {depends}\n"
        f"- Verify: `make t{number}`\n- Checkpoint: feat: add search {number}\n"
        f"- Manifest: {{expected_paths: [{path}]}}\n"
    )
