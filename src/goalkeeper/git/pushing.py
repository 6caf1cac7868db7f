"""Pushes a commit to a remote of the user, with all the rights and settings that the user has.

Only programs that lie in the repository are not found: agents can put them there.
"""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.git.places import list_checkouts
from goalkeeper.system.environment import DEFAULT_PATH, OTHER_REPOSITORY, filter_search_path
from goalkeeper.system.run import Exited, NotStarted, ProgramLimits, describe_end, run

_LIMITS = ProgramLimits(seconds=120.0, free_mb=0)


def push_commit(
    root: str,
    environ: Mapping[str, str],
    commit: str,
    remote: str,
    branch: str,
    *,
    is_trial: bool = False,
) -> str:
    """Push a commit to a branch of a remote; return why git could not, or nothing.

    A trial changes nothing. It asks the remote, so whoever may not write there learns it. Only the
    exit status decides: names of branches and words of hooks say nothing.
    """
    # Settings of the user could add tags and submodules, and agents can make both.
    words = ["--no-follow-tags", "--recurse-submodules=no", *(("--dry-run",) if is_trial else ())]
    env = {name: value for name, value in environ.items() if name not in OTHER_REPOSITORY}
    env["PATH"] = filter_search_path(environ.get("PATH", DEFAULT_PATH), list_checkouts(root))
    ran = run(
        ["git", "push", "--porcelain", *words, "--", remote, f"{commit}:refs/heads/{branch}"],
        cwd=root,
        env={**env, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"},
        limits=_LIMITS,
    )
    if isinstance(ran, Exited) and ran.code == 0:
        return ""
    if isinstance(ran, NotStarted):
        return describe_end(ran, "git")
    said = [*ran.out.text.splitlines()[1:], *ran.err.text.splitlines()]
    told = [line.strip() for line in said if line.strip() and line.strip() != "Done"]
    return "; ".join(told[:3]) or describe_end(ran, "git")
