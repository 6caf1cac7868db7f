"""Transcripts of automated use: what was done to a page or window, and what was asserted."""

from __future__ import annotations

from datetime import datetime
from math import isfinite
from typing import Any

from goalkeeper.core import strict_json
from goalkeeper.core.review.words import CLI, NATIVE, WEB
from goalkeeper.witness.captures.unfit import Unfit, UnfitArtifact, require_some

MOST_BYTES = 16_000_000
_MOST_DEPTH = 32
_MOST_PROBLEMS = 20
_VERSION = 1
_WITH_SELECTOR = ("click", "fill", "press", "assert", "screenshot", "observe")
_NEEDS = {
    **dict.fromkeys(_WITH_SELECTOR, ("selector",)),
    "goto": ("url",),
    "custom": ("selector", "target"),
}
_STATUSES = ("passed", "failed", "skipped")
_ALIKE = (WEB, NATIVE, CLI, ("api", "package"), ("algorithm", "math"))
_FAMILIES = {surface: family for family in _ALIKE for surface in family}
_NOT_PLAIN = "the transcript is not plain JSON"
_MEND = "attach the transcript as the automation tool wrote it, with every step and assertion"


def judge_automation(data: bytes, surface: str = "") -> Unfit | None:
    try:
        require_some(data, MOST_BYTES, _MEND)
        transcript = _decode_transcript(data)
    except UnfitArtifact as worthless:
        return worthless.unfit
    return _TranscriptReader(surface).read_transcript(transcript)


class _TranscriptReader:
    """Collects every problem; the first one gives the code."""

    def __init__(self, surface: str) -> None:
        self._surface = surface
        self._problems: list[Unfit] = []
        self._selectors = 0
        self._last: float | datetime | None = None

    def read_transcript(self, transcript: dict[str, Any]) -> Unfit | None:
        self._read_head(transcript)
        for place, action in self._list_items(transcript, "actions", "no-actions"):
            self._read_action(place, action)
        statuses = [
            self._read_assertion(place, assertion)
            for place, assertion in self._list_items(transcript, "assertions", "no-assertions")
        ]
        if statuses and "passed" not in statuses:
            self._add_problem("no-passed-assertion", "no assertion has passed")
        if not self._selectors:
            self._add_problem("no-selectors", "no step names a selector")
        return self._sum_up()

    def _add_problem(self, code: str, message: str) -> None:
        self._problems.append(Unfit(code, message, _MEND))

    def _sum_up(self) -> Unfit | None:
        if not self._problems:
            return None
        shown = [each.message for each in self._problems[:_MOST_PROBLEMS]]
        if len(self._problems) > _MOST_PROBLEMS:
            shown.append(f"and {len(self._problems) - _MOST_PROBLEMS} more")
        return self._problems[0].replace(message="; ".join(shown))

    def _read_head(self, transcript: dict[str, Any]) -> None:
        version, surface = transcript.get("schemaVersion"), transcript.get("surface")
        if type(version) is not int or version != _VERSION:
            self._add_problem("wrong-version", f"schemaVersion is not {_VERSION}")
        if not _is_text(transcript.get("tool")):
            self._add_problem("no-tool", "tool does not say what was used")
        if surface is None:
            return
        family = _FAMILIES.get(surface) if isinstance(surface, str) else None
        if not family:
            self._add_problem("wrong-surface", f"surface is none of {', '.join(_FAMILIES)}")
        elif self._surface and family != _FAMILIES.get(self._surface):
            message = f"the transcript is of surface {surface}, the evidence is for {self._surface}"
            self._add_problem("wrong-surface", message)

    def _list_items(
        self, transcript: dict[str, Any], name: str, none: str
    ) -> list[tuple[str, Any]]:
        items = transcript.get(name)
        if not isinstance(items, list) or not items:
            self._add_problem(none, f"{name} is not a list with at least one item")
            return []
        return [(f"{name}[{index}]", item) for index, item in enumerate(items)]

    def _read_action(self, place: str, action: Any) -> None:  # noqa: ANN401  any JSON
        if not isinstance(action, dict):
            self._add_problem("bad-action", f"{place} is not an object")
            return
        kind = action.get("type")
        needed = _NEEDS.get(kind, ()) if isinstance(kind, str) else ()
        if not needed:
            self._add_problem("bad-action", f"{place}.type is none of {', '.join(_NEEDS)}")
        elif not any(_is_text(action.get(name)) for name in needed):
            self._add_problem("bad-action", f"{place} ({kind}) has no {' or '.join(needed)}")
        self._read_common(place, action)

    def _read_assertion(self, place: str, assertion: Any) -> str:  # noqa: ANN401  any JSON
        if not isinstance(assertion, dict):
            self._add_problem("bad-assertion", f"{place} is not an object")
            return ""
        status = assertion.get("status")
        if status == "failed":
            self._add_problem("failed-assertion", f"{place} has failed")
        elif status not in _STATUSES:
            self._add_problem("bad-assertion", f"{place}.status is none of {', '.join(_STATUSES)}")
        self._read_common(place, assertion)
        return str(status)

    def _read_common(self, place: str, item: dict[str, Any]) -> None:
        if "selector" in item:
            if _is_text(item["selector"]):
                self._selectors += 1
            else:
                self._add_problem("blank-selector", f"{place}.selector is blank")
        moment = _parse_moment(item.get("timestamp"))
        if moment is None:
            self._add_problem(
                "bad-timestamp", f"{place}.timestamp is no number and no ISO 8601 time"
            )
            return
        try:  # a number cannot be compared with a date, nor a date with one without a zone
            is_late = self._last is None or not moment < self._last  # type: ignore[operator]
        except TypeError:
            is_late = False
        if not is_late:
            self._add_problem("time-runs-back", f"{place} is earlier than what stands before it")
        self._last = moment


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _parse_moment(value: object) -> float | datetime | None:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return value if isinstance(value, float) and isfinite(value) else None


def _decode_transcript(data: bytes) -> dict[str, Any]:
    try:
        value = strict_json.parse(data.decode("utf-8-sig"), deepest=_MOST_DEPTH)
    except strict_json.NameGivenTwice as exc:
        raise UnfitArtifact("duplicate-key", f"{_NOT_PLAIN}: {exc}", _MEND) from exc
    except strict_json.NestedTooDeep as exc:
        raise UnfitArtifact("too-deep", f"{_NOT_PLAIN}: {exc}", _MEND) from exc
    except ValueError as exc:
        raise UnfitArtifact("not-json", f"{_NOT_PLAIN}: {exc}", _MEND) from exc
    if not isinstance(value, dict):
        raise UnfitArtifact("not-an-object", "the transcript is not a JSON object", _MEND)
    return value
