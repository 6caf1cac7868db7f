"""Plans of many sessions, and the rehearsal agents that work on them."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.drives import Act, Script, write
from tests.e2e.project import Files, Project
from tests.e2e.world import COMMAND, Answer, remember_sandbox
from tests.patience import patience

_POLL_SECONDS = 0.002
_LAST_BREATH_SECONDS = 10.0  # whoever was killed or has nothing left to do is gone by then
PRODUCT: Files = {f"parts/{name}.txt": "broken\n" for name in "abcdef"}


class Step(NamedTuple):
    """A step of a plan: a file that is to say something, and a command that looks."""

    path: str
    verify: str = ""
    on_failure: str = "retry"
    text: str = "fixed"

    def write(self, number: int) -> str:
        verify = self.verify or f"grep -q {self.text} {self.path}"
        return f"""\
### Step {number}: mend {self.path}
- Files: {self.path}
- Changes: it says {self.text}
- Reuses: none
- Test first: none
- Verify: `{verify}` → expected: exit 0
- On failure: {self.on_failure} — as the plan says
- Checkpoint: git commit -m "fix(step{number}): mend {self.path} for good"
- Manifest:
  ```yaml
  manifest:
    expected_paths: [{self.path}]
    min_file_count: 1
    commit_message_pattern: "^fix\\\\(step{number}\\\\):"
    must_contain:
      - {{path: {self.path}, pattern: "{self.text}"}}
  ```
"""


class Session(NamedTuple):
    title: str
    steps: Sequence[Step]
    after: str = "none"
    touch: str = ""
    never: str = "none"
    exit: str = ""

    def write(self, number: int) -> str:
        steps = "\n".join(step.write(n) for n, step in enumerate(self.steps, 1))
        touch = self.touch or ", ".join(step.path for step in self.steps)
        last = self.steps[-1]
        leave = self.exit or last.verify or f"grep -q {last.text} {last.path}"
        return f"""\
# Session {number}: {self.title}
## Context
Part {number} of the product.
## Dependencies
- Depends on: {self.after}
- Blocks: none
- Entry condition: none
## Scope Fence
- Touch: {touch}
- Never touch: {self.never}
## Steps
{steps}
## Exit Condition
- `{leave}` → expected: exit 0
- All changes committed with descriptive messages
- No uncommitted changes remain (git status clean)
"""


def mend(path: str, text: str = "fixed") -> Act:
    return write(path, f"{text}\n")


class Campaigned(Project):
    """A repository with a plan of sessions, and a story for the agent of each."""

    def __init__(self, place: Path, files: Files = PRODUCT) -> None:
        super().__init__(place, files)
        self.stories = place / "stories"
        self.stories.mkdir()
        remember_sandbox(self.home)

    def plan_sessions(self, *sessions: Session, scripts: Sequence[Script]) -> str:
        """Freeze a plan, and return the id of the campaign."""
        text = "plan_version: 1.7\n\n" + "\n".join(s.write(n) for n, s in enumerate(sessions, 1))
        self.write({"plan.md": text})
        self.commit("the plan")
        for number, script in enumerate(scripts, 1):
            (self.stories / f"S{number:02d}.json").write_text(json.dumps(script))
        made: str = self.ok("campaign", "plan", "--from", "plan.md")["campaign_id"]
        return made

    def words(self, *more: str, parallel: int = 3) -> list[str]:
        return ["campaign", "run", "--agent", "rehearsal", "--script", str(self.stories),
                "--isolation", "checkout", "--parallel", str(parallel), *more]  # fmt: skip

    def work(self, *more: str, parallel: int = 3, env: Mapping[str, str] | None = None) -> Answer:
        return self.run_process(*self.words("--json", *more, parallel=parallel), env=env)

    def work_without_walls(self, *more: str, parallel: int = 3) -> Answer:
        """As on a machine without bubblewrap: agents reach the records of their runs."""
        hidden = shutil.which("bwrap") or "bwrap"
        wall = ("bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", hidden, COMMAND)
        done = subprocess.run(
            [*wall, *self.words("--json", *more, parallel=parallel)], cwd=self.root,
            env=self.environ(), capture_output=True, check=False,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def show(self) -> Any:  # noqa: ANN401  JSON
        return self.ok("campaign", "status")

    def list_events(self) -> list[str]:
        (ledger,) = self.state.glob("campaigns/*/ledger.jsonl")
        return [json.loads(line)["kind"] for line in ledger.read_text().splitlines()]

    def read_head(self, path: str) -> str:
        """What a file has on the branch of the campaign."""
        return self.git("show", f"{self.show()['branch']}:{path}").strip()

    def list_landed(self) -> list[str]:
        """The titles of the commits that landed on the branch of the campaign, oldest first."""
        told = self.git("log", "--reverse", "--format=%s", f"main..{self.show()['branch']}")
        return told.splitlines()

    def list_processes(self) -> Iterator[tuple[int, str]]:
        """The processes that belong to this campaign, each with the words that tell what it is."""
        home, root = f"HOME={self.home}".encode(), str(self.home.parent)
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if int(place.name) == os.getpid():
                    continue
                is_mine = home in (place / "environ").read_bytes().split(b"\0")
                if is_mine or os.readlink(place / "cwd").startswith(root):
                    told = (place / "cmdline").read_bytes().decode().split("\0")
                    words = [word for word in told if word != "-P"]
                    if words != [""]:  # nobody has waited for the dead yet
                        yield int(place.name), " ".join(words[3:5]) or words[0]

    def list_survivors(self) -> list[str]:
        """Those that run on after all has ended; whoever is about to go may do so."""
        deadline = time.monotonic() + patience(_LAST_BREATH_SECONDS)
        while (left := list(self.list_processes())) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return [words for _, words in left]
