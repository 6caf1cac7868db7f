"""Pictures, terminals and transcripts of a quality gate, and checks that ask for them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from tests.e2e.gates import Artifact, Gate, Strict, artifact, clean
from tests.e2e.project import contract, criterion, verdicts
from tests.tables import for_each

TERMINAL = (
    b"\x1b[2J\x1b[H\x1b[1mtool\x1b[0m\r\n\r\n  1  \x1b[32mfixed\x1b[0m\r\n  2  open\r\n\r\n"
    b"press q to quit"
)
DRIVEN: dict[str, Any] = {
    "schemaVersion": 1,
    "tool": "playwright",
    "actions": [
        {"type": "goto", "url": "http://127.0.0.1:8000/", "timestamp": 1},
        {"type": "click", "selector": "#save", "timestamp": 2},
    ],
    "assertions": [{"selector": "#state", "status": "passed", "timestamp": 3}],
}
BACK = {**DRIVEN, "actions": list(reversed(DRIVEN["actions"]))}


def picture(*lines: str, size: tuple[int, int] = (640, 360)) -> bytes:
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).multiline_text((20, 20), "\n".join(lines), fill="black", spacing=8)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


PAGE = picture("Rows: 3", "All changes are saved.", "Import   Export   Settings")
FILES: dict[str, str | bytes] = {
    "page.png": PAGE,
    "blank.png": picture(),
    "small.png": picture("Rows: 3", size=(160, 90)),
    "cut.png": PAGE[:-200],
    "screen.pty": TERMINAL,
    "plain.pty": b"it worked\n" * 100,
    "driven.json": json.dumps(DRIVEN),
    "native.json": json.dumps({**DRIVEN, "surface": "desktop"}),
    "back.json": json.dumps(BACK),
}
KINDS = {"png": "screenshot", "pty": "pty-capture", "json": "browser-automation"}


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Strict:
    strict = Strict(tmp_path_factory.mktemp("gallery"))
    strict.write({f"out/{name}": data for name, data in FILES.items()})
    return strict


def shown(surface: str, *artifacts: Artifact) -> Gate:
    """A gate with one more surface, shown by these."""
    gate = clean()
    gate["executorQa"]["artifactRefs"] += artifacts
    gate["executorQa"]["surfaceEvidence"].append(
        {
            "id": f"on-{surface}",
            "contractRef": "C1",
            "surface": surface,
            "invocation": "used it as anybody would",
            "verdict": "passed",
            "artifactRefs": [each["id"] for each in artifacts],
        }
    )
    return gate


def capture(name: str, kind: str = "") -> Artifact:
    return artifact(name, kind or KINDS[name.partition(".")[2]], f"out/{name}")


@for_each(
    ("surface", "artifacts"),
    [
        ("web", [capture("page.png"), capture("driven.json")]),
        ("tui", [capture("screen.pty")]),
        ("native", [capture("native.json", "app-automation")]),
    ],
    ids=["web", "tui", "native"],
)
def test_scenario_56_what_is_shown_live_proves_its_surface(
    gallery: Strict, surface: str, artifacts: list[Artifact]
) -> None:
    assert gallery.found(shown(surface, *artifacts)) == []


def test_scenarios_54_to_56_what_shows_nothing_proves_nothing(gallery: Strict) -> None:
    names = ["blank.png", "small.png", "cut.png", "plain.pty", "back.json", "native.json"]
    others = [artifact("text", "screenshot", "out/driven.json"), capture("page.png")]

    found = gallery.found(shown("web", *map(capture, names), *others))

    assert [(each["path"], each["code"]) for each in found] == [
        (f"executorQa.artifactRefs[{number}]", code)
        for number, code in enumerate(
            [
                "screenshot-uniform",
                "screenshot-too-small",
                "screenshot-truncated",
                "pty-capture-no-control-sequences",
                "browser-automation-time-runs-back",
                "browser-automation-wrong-surface",
                "screenshot-not-a-picture",
            ],
            start=2,
        )
    ]
    assert all(each["message"] and each["mend"] for each in found)


@for_each(("fallback", "codes"), [("screen.pty", []), ("plain.pty", ["no"])])
def test_scenario_62_a_run_that_cannot_be_repeated_is_shown_otherwise(
    gallery: Strict, fallback: str, codes: list[str]
) -> None:
    gate = clean()
    replay = gate["executorQa"]["artifactRefs"][0]
    del replay["replay"]
    replay["replayExempt"] = {
        "reasonCode": "interactive_only",
        "reason": "it asks for keys one after the other, and has no other way to be used",
        "approvedBy": "the QA lane",
        "fallbackArtifactRefs": [fallback],
    }
    gate["executorQa"]["artifactRefs"].append(capture(fallback))

    found = [code for _, code in gallery.codes(gate)]

    assert found == ["pty-capture-no-control-sequences" for _ in codes]


def test_a_contract_can_ask_for_captures(tmp_path: Path) -> None:
    asked = contract(
        criterion("C1", {"screenshot": "page.png"}),
        criterion("C2", {"pty": "screen.pty"}),
        criterion("C3", {"automation": "driven.json"}),
    )
    strict = Strict(tmp_path, asked)
    missing = strict.judge()
    strict.write({name: FILES[name] for name in ("page.png", "screen.pty", "driven.json")})
    good = strict.judge()
    strict.write(
        {
            "page.png": FILES["blank.png"],
            "screen.pty": FILES["plain.pty"],
            "driven.json": FILES["back.json"],
        }
    )

    bad = strict.judge()

    assert set(verdicts(missing).values()) == {"failed"}
    assert verdicts(good) == dict.fromkeys(("C1", "C2", "C3"), "passed")
    assert set(verdicts(bad).values()) == {"failed"}
    assert [row["reason"].partition(":")[0] for row in bad["criteria"]] == [
        "uniform",
        "no-control-sequences",
        "time-runs-back",
    ]
