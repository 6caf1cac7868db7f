"""A project in shell, a sentence about it, and examiners that draft a contract for the sentence."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e.drives import Driven, End, Script, write

SENTENCE = "Names may be given in capital letters"
GREET = '#!/bin/sh\necho "hello $1"\n'
RIGHT = "#!/bin/sh\necho \"hello $1\" | tr 'A-Z' 'a-z'\n"
OTHER = '#!/bin/bash\nprintf "hello %s\\n" "${1,,}"\n'
WORKS = write("greet.sh", RIGHT)
Answer = Mapping[str, Any]


def check_greeting(name: str, given: str, expected: str) -> dict[str, Any]:
    """A drafted test that names its case where whoever sees it can read it."""
    path = f"tests/{name}.sh"
    text = f"# case: {given} {expected}\ngrep '^# case' \"$0\"\n"
    text += '[ "${0%%/*}" = tests ] || exit 1\n'  # what lies beside it is found from there only
    text += f"[ \"$(bash greet.sh '{given}')\" = 'hello {expected}' ]\n"
    return {"path": path, "text": text, "check": {"command": ["bash", path]}}


def answer(*tests: Answer, reference: str = RIGHT, **more: object) -> dict[str, Any]:
    criteria = [{"text": f"what {each['path']} shows", "tests": [each]} for each in tests]
    return {"criteria": criteria, "reference": {"greet.sh": reference}, **more}


ANN, BOB = check_greeting("ann", "ANN", "ann"), check_greeting("bob", "Bob", "bob")
FIRST, SECOND = answer(ANN), answer(BOB, reference=OTHER)
GREEN = check_greeting("plain", "ann", "ann")


def examine(first: Answer = FIRST, second: Answer = SECOND) -> Script:
    return {"*": {"1/examiner": [{"answer": first}], "2/examiner": [{"answer": second}]}}


class Drafted(Driven):
    """A repository without a contract."""

    def __init__(self, place: Path) -> None:
        super().__init__(place, {"greet.sh": GREET, "tests/old.sh": "bash greet.sh x\n"})

    def build(self) -> None:
        super(Driven, self).build()
        self.commit("a project")

    def say(self, script: Script, *more: str, command: str = "run") -> tuple[str, ...]:
        """The words of a command for the sentence, with this script."""
        self.script.write_text(json.dumps(script))
        given = ("--script", str(self.script), "--isolation", "checkout", *more)
        return (command, SENTENCE, *given)

    def draft(self, script: Script, *more: str, env: Mapping[str, str] | None = None) -> End:
        return End(*self.run(*self.say(script, *more), env=env))

    def rules(self) -> dict[str, str]:
        """The rule by which each test of the last draft does not count, by its criterion."""
        tests = self.data("contract_drafted")[-1]["draft"]["tests"]
        return {test["text"].split("/")[-1].split(".")[0]: test.get("rule", "") for test in tests}
