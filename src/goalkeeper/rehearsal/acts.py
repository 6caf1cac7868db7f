"""The acts that a script can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.rehearsal import mishaps, words, work
from goalkeeper.rehearsal.stage import Deed

ACTS: Mapping[str, Callable[[object], Deed]] = {
    "write": work.write,
    "append": work.append,
    "replace": work.replace,
    "delete": work.delete,
    "run": work.run,
    "git": work.git,
    "commit": work.commit,
    "branch": work.branch,
    "signal": work.honest_exit,
    "answer": work.answer,
    "say": words.say,
    "think": words.think,
    "expect_prompt": words.expect_prompt,
    "flood": words.flood,
    "garbage": words.garbage,
    "sleep": words.sleep,
    "silence": words.silence,
    "usage": mishaps.usage,
    "rate_limit": mishaps.rate_limit,
    "auth": mishaps.auth,
    "outage": mishaps.outage,
    "context": mishaps.context,
    "exit": mishaps.leave,
    "die": mishaps.die,
    "ignore_term": mishaps.ignore_term,
    "fork": mishaps.fork,
    "late": mishaps.late,
}
LAST = frozenset({"exit", "die"})  # nothing is played after these
