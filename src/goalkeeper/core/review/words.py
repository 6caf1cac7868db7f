"""The words of a quality gate, and the messages for wrong ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.schema import Node, Notes
from goalkeeper.wire.value import Value

Row = Mapping[str, Any]

WEB = ("gui", "web")
CLI = ("cli",)
NATIVE = ("native", "desktop", "tui")
QUIET = ("api", "package", "algorithm", "math")
SURFACES = (*WEB, *CLI, *QUIET, *NATIVE)

AUTOMATION, APP_AUTOMATION = "browser-automation", "app-automation"
SCREENSHOT, PTY, REPLAY = "screenshot", "pty-capture", "command-replay"
RECEIPT = "typed-receipt"
FILES = ("failure-mode-test", "test-report", "file")
ARTIFACT_KINDS = (AUTOMATION, APP_AUTOMATION, SCREENSHOT, PTY, REPLAY, RECEIPT, *FILES)

# To prove a surface, one kind of each group is needed.
PROVED_BY: Mapping[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(WEB, ((AUTOMATION,), (SCREENSHOT,))),
    **dict.fromkeys(CLI, ((REPLAY,),)),
    **dict.fromkeys(NATIVE, ((SCREENSHOT, PTY, APP_AUTOMATION),)),
    **dict.fromkeys(QUIET, ((*FILES, RECEIPT, REPLAY),)),
}
REASON_CODES = (
    "unsafe_side_effect", "requires_credentials", "requires_network",
    "non_deterministic_external", "destructive", "interactive_only", "platform_unavailable",
)  # fmt: skip
OF_CRITERION, OF_GOAL = RECEIPTS = ("criterion", "receipt")
FALLBACKS = (SCREENSHOT, AUTOMATION, APP_AUTOMATION, PTY)
NOT_APPLICABLE = "not_applicable"
CLEAR, APPROVE = "CLEAR", "APPROVE"
DONE = ("covered", "passed", "verified")


class Artifact(Value):
    """Something that the gate names at `at` and that is to be proved."""

    at: str
    id: str
    kind: str
    path: str = ""
    replay: Any = None  # a record that is written in place
    exempt: Row | None = None
    surface: str = ""  # the surface that it is to prove


class Shelf(Value):
    """The folder that artifacts lie in, and whether an independent lane laid them there."""

    folder: str = ""  # if it is empty, they lie in the worktree
    is_independent: bool = False


IN_WORKTREE = Shelf()


class Proved(Value):
    """The result for an artifact: the digest of its bytes, and what they fail to show."""

    id: str
    digest: str
    diagnostics: tuple[Diagnostic, ...] = ()


class About(Value):
    """What a gate is about; its references must lead here."""

    goal_id: str
    criteria: tuple[str, ...]
    reported: frozenset[str] = frozenset()  # the sections that our lanes have given
    receipts: tuple[str, ...] = ()  # the digests of receipts that were issued in the run


class GateReading(Value):
    """The result of reading a gate: what is wrong with it, and which artifacts it names."""

    diagnostics: tuple[Diagnostic, ...]
    artifacts: tuple[Artifact, ...]


class Remarks(Notes):
    """Keeps diagnostics in the order in which they are met."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Diagnostic] = []

    def add_problem(self, node: Node, where: str, message: str, code: str = "wrong-value") -> None:
        del node
        self.add_remark(where or "$", code, message, MENDS[code])

    def add_blockers(self, at: str, items: Sequence[object]) -> None:
        if items:
            told = "; ".join(map(_word_item, items[:_SHOWN]))
            said = f"{len(items)} blocker(s) stand: {told}"
            self.add_remark(
                f"{at}.blockers", "blockers-stand", said, "goalkeeper record-review-blockers"
            )

    def add_remark(self, path: str, code: str, message: str, mend: str) -> None:
        if len(self.found) < _MOST:
            self.found.append(Diagnostic(_cut_text(path), code, _cut_text(message), mend))
        elif len(self.found) == _MOST:
            said = f"there are more than {_MOST} problems, and the others are not told"
            self.found.append(Diagnostic("$", "too-many", said, "mend these first"))


MENDS = {
    "wrong-value": "write what is expected: goalkeeper quality-gate schema",
    "unknown-key": "take it out: goalkeeper quality-gate schema lists the keys",
    "missing": "add it: goalkeeper quality-gate init writes a template",
}


def _word_item(item: object) -> str:
    return _cut_text(
        item if isinstance(item, str) else json.dumps(item, ensure_ascii=False), _BRIEF
    )


def _cut_text(text: str, most: int = 600) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


_MOST = 1000  # so many problems are reported, because nobody reads on
_SHOWN, _BRIEF = 5, 100
SETTLE = "settle what was found, then have it reviewed again"
