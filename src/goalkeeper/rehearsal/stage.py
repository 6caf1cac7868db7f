"""A stage has what a script is played with: the prompt, the stream, and the result."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping

MODEL = "rehearsal"
MOST_SAID = 2000  # the limit of its last words; the stream has all of them
OK = "ok"
CRASH = "crash"
MICRO = 10**6


class Leave(Exception):
    def __init__(self, code: int, problem: str = "") -> None:
        super().__init__(problem)
        self.code = code
        self.problem = problem


class RehearsalStage:
    def __init__(self, prompt: str, session: str) -> None:
        self.prompt = prompt
        self._ending = OK
        self._problem = ""
        self._said = ""
        self._tokens = {"input": 0, "output": 0, "cached": 0}
        self._microdollars = 0
        self.tell_event("start", session=session, model=MODEL)

    def tell_event(self, kind: str, **about: object) -> None:
        self.print_bytes(json.dumps({"type": kind, **about}).encode() + b"\n")

    def use_tool(self, name: str, about: str) -> None:
        self.tell_event("tool", name=name, about=about)

    def say_text(self, text: str) -> None:
        self._said = text[:MOST_SAID]
        self.tell_event("say", text=text)

    def print_bytes(self, data: bytes) -> None:
        while data:
            data = data[os.write(1, data) :]

    def use_tokens(self, tokens: Mapping[str, int], microdollars: int) -> None:
        self._tokens = {name: count + tokens[name] for name, count in self._tokens.items()}
        self._microdollars += microdollars

    def will_end(self, ending: str, problem: str) -> None:
        self._ending, self._problem = ending, problem

    def end_session(self, code: int | None = None, problem: str = "") -> int:
        """Tell the result, and return the code to exit with."""
        if self._ending == OK and code:
            self._ending = CRASH
        if problem:
            self._problem = problem
            sys.stderr.write(f"rehearsal: {problem}\n")
        self.tell_event(
            "result",
            ending=self._ending,
            problem=self._problem,
            usage=self._tokens,
            cost=self._microdollars / MICRO,
            said=self._said,
        )
        return int(self._ending != OK) if code is None else code


Deed = Callable[[RehearsalStage], None]  # an act that was read and is ready to be played
