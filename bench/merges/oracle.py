"""Whether a pair is what it says, found out with git and a shell alone, without goalkeeper."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.merges.pair import CONFLICT, MergePair, PairSession
from bench.merges.trial import write_files
from bench.projects.trial import commit_all, lay_out, make_environ, run_git


def weigh_pair(pair: MergePair, place: Path) -> list[str]:
    """Return everything that is wrong with a pair.

    Every command is red on the base and green on the work of its session. On the merge of a bad
    pair the one that it names is red; on that of an honest pair all are green.
    """
    (place / "tree").mkdir(parents=True)
    lay_out(place)
    run_git(place, "init", "--quiet", "--initial-branch", "main")
    write_files(pair.base, place / "tree")
    commit_all(place, "base")
    return list(_find_faults(pair, place))


def _find_faults(pair: MergePair, place: Path) -> Iterator[str]:
    commands = pair.criteria
    for name in _list_green(commands, pair, place):
        yield f"{name} is green on the base"
    for branch, session in zip(("S01", "S02"), pair.sessions, strict=True):
        run_git(place, "switch", "--quiet", "--create", branch, "main")
        _do_work(session, place)
        own = [name for name in commands if name.startswith(branch)]
        for name in sorted(set(own) - {*_list_green(own, pair, place)}):
            yield f"{name} is red on the work of its session"
    merged = _ask(
        place, ["git", "-c", "merge.directoryRenames=false", "merge", "--quiet", "--no-edit", "S01"]
    )
    if not merged:
        yield from () if pair.bad == CONFLICT else ["the merge conflicts"]
        return
    red = [name for name in commands if name not in _list_green(commands, pair, place)]
    if pair.bad and pair.bad not in red:
        yield f"{pair.bad} is green on the merge; red are: {red}"
    elif not pair.bad and red:
        yield f"it is honest, and red on the merge are: {red}"


def _do_work(session: PairSession, place: Path) -> None:
    for step in session.steps:
        for path in step.gone:
            (place / "tree" / path).unlink()
        write_files(step.files, place / "tree")
        if step.run:
            _ask(place, ["sh", "-c", step.run])
        commit_all(place, "a step")


def _list_green(names: Sequence[str] | dict[str, str], pair: MergePair, place: Path) -> list[str]:
    return [name for name in names if _ask(place, ["sh", "-c", pair.criteria[name]])]


def _ask(place: Path, argv: Sequence[str]) -> bool:
    """Return whether a command succeeds; Python leaves no files behind."""
    environ = {**make_environ(place), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(argv, cwd=place / "tree", env=environ, capture_output=True, check=False)
    return ran.returncode == 0
