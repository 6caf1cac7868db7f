"""The pairs of `pairs/*.toml`: two sessions with fences of their own, and what their merge is.

kind = "renamed symbols"         once for each file

[[pair]]
id = "rename-parse"
why = "…"                        in one line
like = "ID"                      the pair of this file whose base and sessions it takes over
bad = "S02 G001/C1"              what must be named when it is refused: a criterion, or `conflict`;
                                 without it the pair is honest, and lands
recovers = true                  the second session fits when it begins on the new head
base."shop.py" = '''…'''
[[pair.a]]                       a step of the first session; `[[pair.b]]` of the second
verify = '''…'''                 a command on each line
files."shop.py" = '''…'''        what it writes
gone = ["old.py"]                what it deletes
run = "…"                        what it does in a shell after that
test = "tests/test_shop.py"      a test that the contract frees
fence = ["shop/**"]              if it is wider than what is written and deleted
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from goalkeeper.wire.value import Value

DATA = Path(__file__).with_name("pairs")
CONFLICT = "conflict"
_SESSION = """\
# Session {number}: {title}
## Context
Half of the pair {pair}.
## Dependencies
- Depends on: none
- Blocks: none
- Entry condition: none
## Scope Fence
- Touch: {touch}
- Never touch: none
## Steps
{steps}
## Exit Condition
{leave}
- All changes committed with descriptive messages
- No uncommitted changes remain (git status clean)
"""
_STEP = """\
### Step {number}: write {first}
- Files: {files}
- Changes: as its commands ask for
- Reuses: none
- Test first: {test}
- Verify:
{verify}
- On failure: retry — once more
- Checkpoint: git commit -m "feat(step{number}): write {first} as planned"
- Manifest:
  ```yaml
  manifest:
    expected_paths: {expected}
    commit_message_pattern: "^feat\\\\(step{number}\\\\):"
  ```
"""
# The branch of the campaign leaves the user's when the first session lands; then the second may go
# on. In a recovery it has left already.
_AWAIT_LANDING = """\
for _ in $(seq 600); do
  head=$(git for-each-ref --format='%(objectname)' 'refs/heads/goalkeeper/campaign-*')
  test -n "$head" && test "$head" != "$(git rev-parse main)" && exit 0
  sleep 0.1
done
"""


class PairStep(Value):
    """One step of a session: what it does to files, and the commands that verify it."""

    verify: tuple[str, ...]
    files: Mapping[str, str] = {}
    gone: tuple[str, ...] = ()
    run: str = ""
    test: str = ""
    fence: tuple[str, ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        return (*self.files, *self.gone)

    @property
    def acts(self) -> list[dict[str, Any]]:
        """What the rehearsal agent does."""
        acts: list[dict[str, Any]] = [{"delete": {"path": path}} for path in self.gone]
        acts += [{"write": {"path": path, "text": text}} for path, text in self.files.items()]
        return [*acts, run_shell(self.run)] if self.run else acts

    def write(self, number: int) -> str:
        kept = [*self.files] or [*self.fence]
        return _STEP.format(
            number=number,
            first=kept[0],
            files=", ".join(self.touched or self.fence),
            test=self.test or "none",
            verify="\n".join(f"  - `{command}` → expected: exit 0" for command in self.verify),
            expected=json.dumps(kept),
        )


class PairSession(Value):
    """A session of one step or more, and the patterns of its fence."""

    steps: tuple[PairStep, ...]

    @property
    def fence(self) -> tuple[str, ...]:
        found = [path for step in self.steps for path in step.fence or step.touched]
        return tuple(dict.fromkeys(found))

    def write(self, number: int, pair: str) -> str:
        return _SESSION.format(
            number=number,
            title=f"{pair} {'first' if number == 1 else 'second'}",
            pair=pair,
            touch=", ".join(self.fence),
            steps="\n".join(step.write(n) for n, step in enumerate(self.steps, 1)),
            leave="\n".join(f"- `{each}` → expected: exit 0" for each in self.steps[-1].verify),
        )

    def write_story(self, *, waits: bool) -> dict[str, Any]:
        story = {f"G{n:03d}": step.acts for n, step in enumerate(self.steps, 1)}
        if waits:
            story["G001"] = [run_shell(_AWAIT_LANDING), *story["G001"]]
        return story


class MergePair(Value):
    """Two sessions that are proven alone, and whether they may land together."""

    id: str
    kind: str
    why: str
    bad: str
    recovers: bool
    base: Mapping[str, str]
    sessions: tuple[PairSession, PairSession]

    def write_plan(self) -> str:
        parts = [each.write(n, self.id) for n, each in enumerate(self.sessions, 1)]
        return "plan_version: 1.7\n\n" + "\n".join(parts)

    def write_stories(self) -> dict[str, dict[str, Any]]:
        first, second = self.sessions
        return {"S01": first.write_story(waits=False), "S02": second.write_story(waits=True)}

    @property
    def criteria(self) -> dict[str, str]:
        """The commands of all criteria, by the names that the queue gives them."""
        return {
            f"S{s:02d} G{g:03d}/C{c}": command
            for s, session in enumerate(self.sessions, 1)
            for g, step in enumerate(session.steps, 1)
            for c, command in enumerate(step.verify, 1)
        }


def run_shell(text: str) -> dict[str, Any]:
    return {"run": {"argv": ["sh", "-c", text]}}


def load_pairs(only: str = "") -> list[MergePair]:
    """Load the pairs whose id or kind has this text."""
    found = [pair for path in sorted(DATA.glob("*.toml")) for pair in _read_file(path)]
    return [pair for pair in found if only in pair.id or only in pair.kind]


def _read_file(path: Path) -> Iterator[MergePair]:
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    known: dict[str, Mapping[str, Any]] = {}
    for raw in told["pair"]:
        whole = {**known.get(raw.get("like", ""), {}), **raw}
        known[raw["id"]] = {name: whole[name] for name in ("base", "a", "b")}
        yield MergePair(
            raw["id"], told["kind"], raw["why"], raw.get("bad", ""), raw.get("recovers", False),
            whole["base"], (_read_session(whole["a"]), _read_session(whole["b"])),
        )  # fmt: skip


def _read_session(steps: list[dict[str, Any]]) -> PairSession:
    return PairSession(tuple(_read_step(**step) for step in steps))


def _read_step(
    verify: str,
    gone: Sequence[str] = (),
    fence: Sequence[str] = (),
    **more: Any,  # noqa: ANN401  fields, by name
) -> PairStep:
    commands = tuple(line.strip() for line in verify.splitlines() if line.strip())
    return PairStep(verify=commands, gone=tuple(gone), fence=tuple(fence), **more)
