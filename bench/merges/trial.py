"""One pair as a campaign: both sessions begin on the same base, and the second arrives later."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.merges.pair import CONFLICT, MergePair
from bench.projects.trial import commit_all, lay_out, make_environ, run_git, take_step
from goalkeeper.wire.value import Value

_LOOK_SECONDS = 0.1
_MOST_SECONDS = 180
_LATER = "S02"


class MergeTrial(Value):
    """What the queue made of a pair, as the campaign's ledger tells it."""

    pair: MergePair
    landed: tuple[str, ...]
    reasons: tuple[str, ...]  # of the first refusal of the later session
    files: tuple[str, ...]  # that conflict
    is_whole: bool  # the first session landed, and the second was refused or landed after it
    seconds: float
    told: str  # what the commands printed

    @property
    def is_bounced(self) -> bool:
        return bool(self.reasons)

    @property
    def is_named(self) -> bool:
        """Whether the refusal names what is broken."""
        if self.pair.bad == CONFLICT:
            return bool(self.files)
        return any(reason.startswith(f"{self.pair.bad} ") for reason in self.reasons)

    @property
    def is_right(self) -> bool:
        if not self.pair.bad:
            return self.is_whole and not self.is_bounced
        is_back = _LATER in self.landed or not self.pair.recovers
        return self.is_whole and self.is_bounced and self.is_named and is_back

    @property
    def verdict(self) -> str:
        said = "; ".join(" ".join(each.split()) for each in self.reasons)
        if not self.is_whole:
            return f"UNCLEAR landed {self.landed}: {said or self.told}"
        return f"{'right' if self.is_right else 'WRONG'} {said or 'landed'}"


def try_pair(pair: MergePair, place: Path) -> MergeTrial:
    """Make the repository and the plan, and run the campaign until the queue has decided."""
    began = time.monotonic()
    (place / "tree").mkdir(parents=True)
    lay_out(place)
    run_git(place, "init", "--quiet", "--initial-branch", "main")
    write_files({**pair.base, "plan.md": pair.write_plan()}, place / "tree")
    commit_all(place, "base")
    stories = place / "stories"
    stories.mkdir()
    for name, story in pair.write_stories().items():
        (stories / f"{name}.json").write_text(json.dumps(story))
    planned = take_step(("campaign", "plan", "--from", "plan.md"), place)
    told = planned.told
    if planned.code == 0:
        told += _run_campaign(pair, place)
    return _read_trial(pair, place, time.monotonic() - began, told)


def write_files(files: Mapping[str, str], tree: Path) -> None:
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")


def _run_campaign(pair: MergePair, place: Path) -> str:
    """Run it; after a refusal nobody waits for what a recovery would do, unless that is the point.

    What it prints goes to a file, so that nobody has to empty a pipe.
    """
    words = (
        "campaign", "run", "--agent", "rehearsal", "--script", str(place / "stories"),
        "--isolation", "checkout", "--parallel", "2", "--max-iterations", "1", "--json",
    )  # fmt: skip
    printed = place / "campaign.txt"
    with printed.open("wb") as out:
        campaign = subprocess.Popen(
            [sys.executable, "-m", "goalkeeper", *words], cwd=place / "tree",
            env=make_environ(place), stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + _MOST_SECONDS
        while campaign.poll() is None:
            is_over = _find_refusal(_read_events(place)) and not pair.recovers
            if is_over or time.monotonic() > deadline:
                campaign.send_signal(signal.SIGINT)
                campaign.wait(_MOST_SECONDS)
                break
            time.sleep(_LOOK_SECONDS)
    return printed.read_text(encoding="utf-8")


def _read_events(place: Path) -> list[dict[str, Any]]:
    ledgers = place.glob("tree/.goalkeeper/campaigns/*/ledger.jsonl")
    lines = [line for path in ledgers for line in path.read_bytes().split(b"\n")[:-1]]
    return [json.loads(line) for line in lines]


def _find_refusal(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Find the first time that the later session was refused alone."""
    return next(
        (
            event["data"]
            for event in events
            if event["kind"] == "batch_refused" and event["data"]["session_ids"] == [_LATER]
        ),
        {},
    )


def _read_trial(pair: MergePair, place: Path, seconds: float, told: str) -> MergeTrial:
    events = _read_events(place)
    refusal = _find_refusal(events)
    landed = [
        session
        for event in events
        if event["kind"] == "batch_landed"
        for session in event["data"]["session_ids"]
    ]
    is_whole = landed[:1] == ["S01"] and (bool(refusal) or _LATER in landed)
    reasons, files = refusal.get("reasons", ()), refusal.get("files", ())
    return MergeTrial(pair, tuple(landed), tuple(reasons), tuple(files), is_whole, seconds, told)
