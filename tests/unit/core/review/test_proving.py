"""What proves a surface, and the ways in which an artifact is given."""

from typing import Any

from goalkeeper.core.review.reading import read_gate
from goalkeeper.core.review.words import ARTIFACT_KINDS, PROVED_BY, REASON_CODES, SURFACES, Artifact
from tests.tables import for_each
from tests.unit.core.review.gates import (
    ABOUT,
    CASE,
    CLI,
    QA,
    WEB,
    Gate,
    at,
    changed,
    clean,
    found,
    patched,
    told,
)  # fmt: skip

SHOT, REPLAY = f"{QA}.artifactRefs[1]", f"{QA}.artifactRefs[2]"


def with_kinds(surface: str, *kinds: str) -> Gate:
    """The first surface is another one, and is shown by artifacts of these kinds."""
    gate = patched(WEB, surface=surface, artifactRefs=[f"a{n}" for n in range(len(kinds))])
    ways: dict[str, Gate] = {
        "typed-receipt": {"receipt": {"type": "criterion", "id": "C1", "status": "passed"}}
    }
    gate[QA]["artifactRefs"] += [
        {"id": f"a{n}", "kind": kind, "description": "x", **ways.get(kind, {"path": "out/x"})}
        for n, kind in enumerate(kinds)
    ]
    return gate


@for_each("surface", ["gui", "web"])
@for_each(
    ("kinds", "lacking"),
    [
        (["typed-receipt"], ["browser-automation", "screenshot"]),
        (["file", "test-report"], ["browser-automation", "screenshot"]),
        (["screenshot"], ["browser-automation"]),
        (["browser-automation"], ["screenshot"]),
        (["app-automation", "screenshot"], ["browser-automation"]),
    ],
)
def test_scenario_53_a_page_takes_a_drive_and_a_picture(
    surface: str, kinds: list[str], lacking: list[str]
) -> None:
    diagnostics = found(with_kinds(surface, *kinds))

    given = ", ".join(f"a{n}={kind}" for n, kind in enumerate(kinds))
    assert [each.message for each in diagnostics] == [
        f"{surface} is proved by {kind}; given: {given}; "
        "text and receipts do not prove live surfaces"
        for kind in lacking
    ]
    assert {(each.path, each.code) for each in diagnostics} == {
        (f"{WEB}.artifactRefs", "surface-not-proved")
    }


@for_each("kind", ["browser-automation", "screenshot", "command-replay", "file"])
def test_scenario_53_text_in_the_gate_itself_is_no_artifact(kind: str) -> None:
    gate = clean()
    gate[QA]["artifactRefs"].append(
        {"id": "said", "kind": kind, "description": "x", "inlineEvidence": "it worked for me"}
    )

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.artifactRefs[4]", "inline-only")
    assert said.message.endswith("; here: nothing")


@for_each(
    ("surface", "kind"),
    [
        (surface, kind)
        for surface in SURFACES
        for kind in ARTIFACT_KINDS
        if surface not in {"gui", "web"}
    ],
)
def test_scenario_57_what_proves_a_surface_and_what_does_not(surface: str, kind: str) -> None:
    (wanted,) = PROVED_BY[surface]

    diagnostics = found(with_kinds(surface, kind))

    if kind in wanted:
        assert diagnostics == ()
        return
    (said,) = diagnostics
    assert (said.path, said.code) == (f"{WEB}.artifactRefs", "surface-not-proved")
    assert said.message.startswith(
        f"{surface} is proved by {' or '.join(wanted)}; given: a0={kind}"
    )


@for_each("surface", SURFACES)
def test_scenario_57_no_surface_is_proved_by_nothing(surface: str) -> None:
    codes = {code for _, code in told(with_kinds(surface))}

    assert codes == {"missing", "surface-not-proved"}


@for_each("surface", ["", "build pipeline", "Web", "database", "terminal ui"])
def test_scenario_57_a_surface_is_one_of_ten_words(surface: str) -> None:
    assert told(changed(f"{WEB}.surface", surface)) == [(f"{WEB}.surface", "wrong-value")]


@for_each("kind", ["empty", "image", "Screenshot", "log", "cli"])
def test_scenario_57_a_kind_is_a_word_of_the_list(kind: str) -> None:
    assert (f"{SHOT}.kind", "wrong-value") in told(changed(f"{SHOT}.kind", kind))


@for_each("kind", ["file", "test-report", "screenshot"])
def test_an_artifact_is_given_by_a_path(kind: str) -> None:
    gate = clean()
    receipt = {"type": "criterion", "id": "C1", "status": "passed"}
    gate[QA]["artifactRefs"].append(
        {"id": "x", "kind": kind, "description": "x", "receipt": receipt}
    )

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{QA}.artifactRefs[4]", "artifact-ways")
    assert said.message == f"{kind} is given by path; here: receipt"


def test_an_artifact_is_given_in_one_way() -> None:
    (said,) = found(patched(REPLAY, replay={"kind": "cli-replay"}))

    assert (said.path, said.code) == (REPLAY, "artifact-ways")
    assert said.message == (
        "command-replay is given by path or replay or replayExempt; here: path, replay"
    )


@for_each(
    "path",
    ["../x", "/etc/passwd", "a/../../x", "~/x", "C:/x", ".git/config", "a/.GIT/x", "", "a\0b"],
)
def test_a_path_stays_in_the_repository(path: str) -> None:
    read = read_gate(changed(f"{SHOT}.path", path), ABOUT)

    assert (f"{SHOT}.path", "wrong-value") in [(d.path, d.code) for d in read.diagnostics]
    assert read.artifacts[1].path == ""  # so that nobody looks there


DIGEST = "d" * 64


@for_each(
    ("receipt", "code"),
    [
        ({"type": "criterion", "id": "C1", "status": "passed"}, ""),
        ({"type": "receipt", "id": DIGEST, "status": "verified"}, ""),
        ({"type": "criterion", "id": "C9", "status": "passed"}, "unknown-receipt"),
        ({"type": "criterion", "id": DIGEST, "status": "passed"}, "unknown-receipt"),
        ({"type": "receipt", "id": "C1", "status": "passed"}, "unknown-receipt"),
        ({"type": "receipt", "id": "e" * 64, "status": "passed"}, "unknown-receipt"),
        ({"type": "criterion", "id": "C1", "status": "failed"}, "wrong-value"),
        ({"type": "ci-run", "id": "C1", "status": "passed"}, "wrong-value"),
        ({"id": "C1", "status": "passed"}, "missing"),
    ],
)
def test_a_receipt_is_one_that_goalkeeper_gave(receipt: Gate, code: str) -> None:
    gate = clean()
    gate[QA]["artifactRefs"].append(
        {"id": "r", "kind": "typed-receipt", "description": "x", "receipt": receipt}
    )
    about = ABOUT.replace(receipts=(DIGEST,))

    assert {each for _, each in told(gate, about)} >= ({code} if code else set())
    assert bool(found(gate, about)) is bool(code)


REASON = "it would send letters to all real customers"


def exempt(**fields: object) -> Gate:
    """A gate whose run cannot be repeated, with a capture of a terminal in its place."""
    gate = clean()
    replay = at(gate, REPLAY)
    del replay["path"]
    replay["replayExempt"] = {
        "reasonCode": "unsafe_side_effect",
        "reason": REASON,
        "approvedBy": "the QA lane",
        "fallbackArtifactRefs": ["shot"],
        **fields,
    }
    return gate


WHERE = f"{REPLAY}.replayExempt"


@for_each("code", REASON_CODES)
def test_scenario_62_a_run_that_cannot_be_repeated_is_exempt(code: str) -> None:
    assert found(exempt(reasonCode=code)) == ()


@for_each("code", ["", "flaky", "UNSAFE_SIDE_EFFECT", None, ["destructive"]])
def test_scenario_62_for_one_of_seven_reasons(code: object) -> None:
    assert told(exempt(reasonCode=code)) == [(f"{WHERE}.reasonCode", "wrong-value")]


@for_each(
    "reason",
    ["it is unsafe", "a b c d e", "w" * 60, "four words are toofewfor this" + " " * 40],
)
def test_scenario_62_and_it_takes_some_words_to_say_why(reason: str) -> None:
    assert told(exempt(reason=reason)) == [(f"{WHERE}.reason", "exempt-unreasoned")]


@for_each("name", ["reasonCode", "reason", "approvedBy", "fallbackArtifactRefs"])
def test_scenario_62_nothing_of_it_may_be_left_out(name: str) -> None:
    gate = exempt()
    del at(gate, WHERE)[name]

    assert (WHERE, "missing") in told(gate)


@for_each("who", ["", " ", None, 1])
def test_scenario_62_somebody_has_verified_it(who: object) -> None:
    assert told(exempt(approvedBy=who)) == [(f"{WHERE}.approvedBy", "wrong-value")]


def test_scenario_62_there_is_something_in_its_place() -> None:
    assert told(exempt(fallbackArtifactRefs=[])) == [
        (f"{WHERE}.fallbackArtifactRefs", "wrong-value")
    ]


@for_each(
    ("name", "kind"),
    [("again", ""), ("nowhere", ""), ("x", "file"), ("x", "test-report"),
     ("x", "failure-mode-test"), ("x", "command-replay")],
)  # fmt: skip
def test_scenario_62_which_shows_it_live(name: str, kind: str) -> None:
    gate = exempt(fallbackArtifactRefs=["shot", name])
    if kind:
        gate[QA]["artifactRefs"].append(
            {"id": "x", "kind": kind, "description": "x", "path": "out/x"}
        )

    (said,) = found(gate)

    assert (said.path, said.code) == (f"{WHERE}.fallbackArtifactRefs[1]", "exempt-fallback")
    assert said.message == (
        f"'{name}' is none of screenshot, browser-automation, app-automation, pty-capture"
    )


def test_artifacts_are_named_with_their_place_and_the_surface_they_prove() -> None:
    artifacts = read_gate(clean(), ABOUT).artifacts

    assert [(each.id, each.kind, each.path, each.surface) for each in artifacts] == [
        ("drive", "browser-automation", "out/d.json", "web"),
        ("shot", "screenshot", "out/page.png", "web"),
        ("again", "command-replay", "out/run.json", "cli"),
        ("tries", "failure-mode-test", "out/tries.txt", ""),
    ]
    assert artifacts[0].at == f"{QA}.artifactRefs[0]"


def test_a_record_written_in_place_is_handed_on_as_it_is() -> None:
    record: dict[str, Any] = {"command": ["tool"], "deep": [{"a": [1, None]}]}
    gate = patched(REPLAY, replay=record)
    del at(gate, REPLAY)["path"]

    assert read_gate(gate, ABOUT).artifacts[2] == Artifact(
        REPLAY, "again", "command-replay", replay=record, surface="cli"
    )


def test_an_artifact_that_serves_two_surfaces_is_judged_by_the_one_it_proves() -> None:
    gate = clean()
    gate[QA]["surfaceEvidence"].insert(0, {**at(gate, WEB), "id": "x", "surface": "gui"})
    gate[QA]["artifactRefs"].append(
        {"id": "log", "kind": "file", "description": "x", "path": "out/log"}
    )
    gate[QA]["surfaceEvidence"].append(
        {**at(gate, CLI), "id": "on-api", "surface": "api", "artifactRefs": ["drive", "log"]}
    )

    drive = read_gate(gate, ABOUT).artifacts[0]

    assert (drive.id, drive.surface) == ("drive", "web")


@for_each(("shown", "codes"), [(["r"], {"case-not-shown"}), (["r", "shot"], set())])
def test_that_a_criterion_passes_is_no_attempt_to_break_it(
    shown: list[str], codes: set[str]
) -> None:
    gate = patched(CASE, artifactRefs=shown)
    receipt = {"type": "criterion", "id": "C1", "status": "passed"}
    gate[QA]["artifactRefs"].append(
        {"id": "r", "kind": "typed-receipt", "description": "x", "receipt": receipt}
    )

    assert {code for _, code in told(gate)} == codes
