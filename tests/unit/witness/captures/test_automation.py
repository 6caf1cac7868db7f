"""Automation transcripts: steps in order, on something, with an assertion that held."""

import json
from typing import Any

from goalkeeper.witness.captures.automation import MOST_BYTES, judge_automation
from tests.tables import for_each

TRANSCRIPT: dict[str, Any] = {
    "schemaVersion": 1,
    "tool": "playwright",
    "surface": "web",
    "actions": [
        {"type": "goto", "url": "http://localhost:8000/", "timestamp": "2026-03-01T10:00:00Z"},
        {"type": "fill", "selector": "#name", "value": "Ada", "timestamp": "2026-03-01T10:00:01Z"},
        {"type": "click", "selector": "button", "timestamp": "2026-03-01T10:00:01Z"},
        {"type": "custom", "target": "window", "timestamp": "2026-03-01T11:00:02+01:00"},
    ],
    "assertions": [
        {"selector": "h1", "status": "passed", "timestamp": "2026-03-01T10:00:03.5Z"},
        {"status": "skipped", "timestamp": "2026-03-01T10:00:04Z"},
    ],
}
NUMBERED: dict[str, Any] = {
    "schemaVersion": 1,
    "tool": "xdotool",
    "actions": [{"type": "press", "selector": "Return", "timestamp": 0}],
    "assertions": [{"status": "passed", "timestamp": 1.5}],
}


def verdict(transcript: object, surface: str = "") -> str:
    unfit = judge_automation(json.dumps(transcript).encode(), surface)
    return unfit.code if unfit else ""


def changed(**members: object) -> dict[str, Any]:
    return {**NUMBERED, **members}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in NUMBERED.items() if key != name}


def with_action(**members: object) -> dict[str, Any]:
    return changed(actions=[*NUMBERED["actions"], {"timestamp": 1, **members}])


@for_each("transcript", [TRANSCRIPT, NUMBERED])
def test_whole_transcripts_pass(transcript: dict[str, Any]) -> None:
    assert verdict(transcript) == ""


def test_a_mark_before_the_text_is_overlooked() -> None:
    assert judge_automation(b"\xef\xbb\xbf" + json.dumps(NUMBERED).encode()) is None


@for_each("surface", ["web", "gui", ""])
def test_a_transcript_is_of_the_surface_it_is_evidence_for(surface: str) -> None:
    assert verdict(TRANSCRIPT, surface) == ""


@for_each("surface", ["native", "tui", "cli", "api", "math", "everything"])
def test_a_transcript_of_another_surface_is_refused(surface: str) -> None:
    assert verdict(TRANSCRIPT, surface) == "wrong-surface"


def test_a_transcript_that_names_no_surface_fits_all() -> None:
    assert verdict(NUMBERED, "desktop") == ""


@for_each(
    ("transcript", "code"),
    [
        (without("schemaVersion"), "wrong-version"),
        (changed(schemaVersion=2), "wrong-version"),
        (changed(schemaVersion=True), "wrong-version"),
        (without("tool"), "no-tool"),
        (changed(tool=" "), "no-tool"),
        (changed(surface="guide"), "wrong-surface"),
        (changed(surface=["web"]), "wrong-surface"),
        (without("actions"), "no-actions"),
        (changed(actions=[]), "no-actions"),
        (changed(actions={"type": "click"}), "no-actions"),
        (changed(actions=["click"]), "bad-action"),
        (with_action(type="click"), "bad-action"),
        (with_action(type="click", selector=" "), "bad-action"),
        (with_action(type="goto", selector="a"), "bad-action"),
        (with_action(type="custom"), "bad-action"),
        (with_action(type="custom", target="x", selector=""), "blank-selector"),
        (with_action(selector="a"), "bad-action"),
        (with_action(type="wish", selector="a"), "bad-action"),
        (with_action(type=["click"], selector="a"), "bad-action"),
        (with_action(type="click", selector="a", timestamp=None), "bad-timestamp"),
        (with_action(type="click", selector="a", timestamp=True), "bad-timestamp"),
        (with_action(type="click", selector="a", timestamp="noon"), "bad-timestamp"),
        (with_action(type="click", selector="a", timestamp=-1), "time-runs-back"),
        (with_action(type="click", selector="a", timestamp="2026-03-01"), "time-runs-back"),
        (changed(assertions=[{"status": "passed", "timestamp": -1}]), "time-runs-back"),
        (without("assertions"), "no-assertions"),
        (changed(assertions=[]), "no-assertions"),
        (changed(assertions=["passed"]), "bad-assertion"),
        (changed(assertions=[{"status": "passed"}]), "bad-timestamp"),
        (changed(assertions=[{"status": "ok", "timestamp": 2}]), "bad-assertion"),
        (changed(assertions=[{"status": "skipped", "timestamp": 2}]), "no-passed-assertion"),
        (
            changed(assertions=[*NUMBERED["assertions"], {"status": "failed", "timestamp": 2}]),
            "failed-assertion",
        ),
        (changed(actions=[{"type": "goto", "url": "x", "timestamp": 0}]), "no-selectors"),
        ([NUMBERED], "not-an-object"),
    ],
)
def test_a_defect_is_refused_for_its_own_reason(transcript: object, code: str) -> None:
    assert verdict(transcript) == code


@for_each(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"clicked everything, all is well", "not-json"),
        (b'{"schemaVersion": 1', "not-json"),
        (b'{"timestamp": NaN}', "not-json"),
        (b'{"timestamp": -Infinity}', "not-json"),
        (b'{"tool": "\xff"}', "not-json"),
        (b'{"n": ' + b"9" * 10_000 + b"}", "not-json"),
        (b'{"tool": "a", "tool": "b"}', "duplicate-key"),
        (b'{"actions": [{"type": "click", "type": "goto"}]}', "duplicate-key"),
        (b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}", "too-deep"),
        (b'{"a": ' * 200_000, "too-deep"),
        (bytes(MOST_BYTES + 1), "too-large"),
    ],
    ids=lambda value: repr(value[:24]),
)
def test_what_is_no_plain_json_is_refused(data: bytes, code: str) -> None:
    unfit = judge_automation(data)

    assert unfit is not None
    assert unfit.code == code


def test_every_problem_is_told_at_once() -> None:
    wrong = {
        "schemaVersion": 1,
        "actions": [{"type": "click", "timestamp": 5}, {"type": "goto", "timestamp": "soon"}],
        "assertions": [{"status": "failed", "timestamp": 1}],
    }

    unfit = judge_automation(json.dumps(wrong).encode())

    assert unfit is not None
    assert unfit.code == "no-tool"
    assert unfit.message.split("; ") == [
        "tool does not say what was used",
        "actions[0] (click) has no selector",
        "actions[1] (goto) has no url",
        "actions[1].timestamp is no number and no ISO 8601 time",
        "assertions[0] has failed",
        "assertions[0] is earlier than what stands before it",
        "no assertion has passed",
        "no step names a selector",
    ]


def test_a_message_stays_readable_however_much_is_wrong() -> None:
    unfit = judge_automation(json.dumps(changed(actions=[None] * 100_000)).encode())

    assert unfit is not None
    assert len(unfit.message) < 2000
    assert unfit.message.endswith("; and 99981 more")
