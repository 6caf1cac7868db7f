"""The acts that a script can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.rehearsal import mishaps, words, work
from goalkeeper.rehearsal.stage import Deed

ACTS: Mapping[str, Callable[[object], Deed]] = {
    "write": work.deed_write,
    "append": work.deed_append,
    "replace": work.deed_replace,
    "delete": work.deed_delete,
    "run": work.deed_run,
    "git": work.deed_git,
    "commit": work.deed_commit,
    "branch": work.deed_branch,
    "signal": work.honest_exit,
    "answer": work.deed_answer,
    "say": words.deed_say,
    "think": words.deed_think,
    "expect_prompt": words.expect_prompt,
    "flood": words.deed_flood,
    "garbage": words.deed_garbage,
    "sleep": words.deed_sleep,
    "silence": words.deed_silence,
    "usage": mishaps.deed_usage,
    "rate_limit": mishaps.rate_limit,
    "auth": mishaps.deed_auth,
    "outage": mishaps.deed_outage,
    "context": mishaps.deed_context,
    "exit": mishaps.deed_leave,
    "die": mishaps.deed_die,
    "ignore_term": mishaps.ignore_term,
    "fork": mishaps.deed_fork,
    "late": mishaps.deed_late,
}
LAST = frozenset({"exit", "die"})  # nothing is played after these
