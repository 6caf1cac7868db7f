"""An agent that does what a skill says, line by line, in a repository of its own."""

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

from goalkeeper.clients.install.parts import read_skill
from tests.e2e.project import Files, Project
from tests.e2e.world import Answer

GREETER: Files = {"greet.py": 'print("hello")\n', "README.md": "# Greet\n"}
GREETING = "import sys\n\nprint(f\"hello, {' '.join(sys.argv[1:])}\")\n"
AS_AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "session-1"}
CACHE = ".goalkeeper/cache"

_INLINE = re.compile(r"`(goalkeeper [^`\n]+)`")
_SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^(`{3,})\w+ ([\w.]+)\n(.*?)^\1\n", re.DOTALL | re.MULTILINE)


@cache
def lines_of(skill: str) -> frozenset[str]:
    """Every command line that stands in the skill, within a sentence or in a fence."""
    found = set()
    for data in read_skill(skill).values():
        text = data.decode()
        found |= {*_INLINE.findall(text)}
        fenced = [line for block in _SHELL.findall(text) for line in block.splitlines()]
        found |= {shlex.join(shlex.split(line, comments=True)) for line in fenced}
    return frozenset(shlex.join(shlex.split(line)) for line in found)


def describe_skill(skill: str) -> str:
    """What a client tells its model about the skill before it is read."""
    _, head, _ = read_skill(skill)["SKILL.md"].decode().split("---\n", 2)
    return head.partition("description: ")[2].strip()


def find_line(skill: str, start: str) -> str:
    """The line of the skill that is this, or the only one that begins so."""
    start, lines = shlex.join(shlex.split(start)), lines_of(skill)
    found = lines & {start} or {each for each in lines if each.startswith(start)}
    assert len(found) == 1, (start, found)
    return next(iter(found))


def files_of(skill: str) -> dict[str, str]:
    """The files that the skill shows, by the name beside the fence."""
    texts = [data.decode() for data in read_skill(skill).values()]
    return {name: text for each in texts for _, name, text in _FILE.findall(each)}


class Follower(Project):
    """Runs lines as they stand in one skill. A line that does not stand there is an error."""

    def __init__(self, place: Path, skill: str, files: Files = GREETER) -> None:
        self.skill = skill
        self.tried: set[str] = set()
        super().__init__(place, files)

    def follow(self, start: str, code: int = 0, says: str = "", given: str = "") -> Answer:
        """Run a line of the skill; it comes out as the skill says."""
        line = find_line(self.skill, start)
        self.tried.add(line)
        answer = self.act(*self._fill_in(shlex.split(line)[1:]), given=given)
        assert answer.code != 2, f"wrong usage: {line}: {answer}"
        assert (answer.code, says in answer.out) == (code, True), (line, answer)
        return answer

    def act(self, *words: str, given: str = "") -> Answer:
        """Run something that no skill says, but that has to happen in between."""
        return self.run(*words, env=AS_AGENT, input=given.encode())

    def _fill_in(self, words: list[str]) -> list[str]:
        """Name the run, and a scripted agent in place of a client that is not there."""
        if words[0] == "agents":
            return words
        scripted = ["rehearsal", "--script", f"{CACHE}/script.json"]
        known = {"RUN": [self.current], "claude": scripted}
        return [each for word in words for each in known.get(word, [word])]

    @property
    def current(self) -> str:
        path = self.state / "current"
        return path.read_text().strip() if path.exists() else ""

    def keep(self, name: str, content: Any) -> None:  # noqa: ANN401  text, or what is JSON
        """Write a file where the skill says that it is no part of the work."""
        text = content if isinstance(content, str) else json.dumps(content)
        self.write({f"{CACHE}/{name}": text})
