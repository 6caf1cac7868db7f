"""What is kept of a run, and how."""

import json
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalkeeper.errors import DiskFailed
from goalkeeper.system.output import OutputCapture, Stream
from goalkeeper.system.redaction import REDACTED, Redactor
from goalkeeper.system.run import (
    Exited,
    LimitHit,
    NotStarted,
    Ran,
    Signalled,
)
from goalkeeper.wire.canonical import sha256
from goalkeeper.witness.evidence import EvidenceStore, describe_run

SECRET = "s3cr3t-value-of-mine"
REDACTOR = Redactor({"MY_TOKEN": SECRET})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def stream(data: bytes, keep_bytes: int = 65536) -> Stream:
    capture = OutputCapture(keep_bytes)
    capture.add_bytes(data)
    return capture.to_stream()


def recorded(ran: Ran, *argv: str) -> dict[str, object]:
    return describe_run(ran, argv=argv, redactor=REDACTOR, facts={"tree": "abc"})


def test_a_run_is_told_with_its_outcome_and_both_streams() -> None:
    ran = Exited(1, stream(b"out"), stream(b"err"), 1.23456)

    assert recorded(ran, "make", "test") == {
        "v": 1,
        "argv": ["make", "test"],
        "outcome": {"kind": "exited", "code": 1},
        "seconds": 1.235,
        "stdout": {"text": "out", "bytes": 3, "sha256": stream(b"out").sha256},
        "stderr": {"text": "err", "bytes": 3, "sha256": stream(b"err").sha256},
        "facts": {"tree": "abc"},
    }


def test_every_outcome_has_its_own_words() -> None:
    nothing = stream(b"")
    outcomes = [
        recorded(Signalled(9, nothing, nothing, 0.0))["outcome"],
        recorded(LimitHit("time", nothing, nothing, 0.0))["outcome"],
        recorded(NotStarted(f"no {SECRET}"))["outcome"],
    ]

    assert outcomes == [
        {"kind": "signalled", "signal": 9},
        {"kind": "limit", "limit": "time"},
        {"kind": "not-started", "reason": f"no {REDACTED}"},
    ]


def test_secrets_are_out_of_argv_and_streams() -> None:
    ran = Exited(0, stream(SECRET.encode()), stream(b"password=hunter2!"), 0.0)

    document = recorded(ran, "tool", "--password", "hunter2!", f"--x={SECRET}", "--level", "7")

    assert document["argv"] == ["tool", "--password", REDACTED, f"--x={REDACTED}", "--level", "7"]
    assert SECRET not in json.dumps(document)
    assert "hunter2" not in json.dumps(document)


@given(st.integers(0, 60), st.integers(20, 60))
def test_no_half_of_a_secret_stays_at_the_cut(before: int, half: int) -> None:
    secret, near, far = SECRET.encode(), b"." * before, b"." * 200
    out, err = (b" ".join(parts) for parts in ((near, secret, far), (far, secret, near)))
    ran = Exited(0, stream(out, 2 * half), stream(err, 2 * half), 0.0)

    text = json.dumps(recorded(ran))

    assert SECRET[:4] not in text
    assert SECRET[-4:] not in text


def test_any_bytes_become_a_document(tmp_path: Path) -> None:
    ran = Exited(0, stream(bytes(range(256))), stream("ü".encode()), 0.0)

    document = recorded(ran, "a\udcff", "\ud83d")
    digest = EvidenceStore(str(tmp_path)).put(document)

    assert EvidenceStore(str(tmp_path)).get(digest) == document


@settings(max_examples=15)  # each is synced to the disk
@given(st.dictionaries(st.text(), JSON))
def test_what_was_put_is_got_whatever_the_order_of_its_keys(document: dict[str, object]) -> None:
    with tempfile.TemporaryDirectory() as place:
        store = EvidenceStore(place)
        digest = store.put(document)

        assert store.put(dict(reversed(document.items()))) == digest
        assert store.get(digest) == document


def test_a_document_lies_under_its_digest_and_is_ours_alone(tmp_path: Path) -> None:
    digest = EvidenceStore(str(tmp_path / "new")).put({"a": 1})

    path = tmp_path / "new" / digest[:2] / f"{digest}.json"
    assert path.read_bytes() == b'{"a":1}'
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_a_document_is_also_read_where_others_keep_theirs(tmp_path: Path) -> None:
    places = (tmp_path, tmp_path / "b")
    digests = [EvidenceStore(str(place)).put({"at": place.name}) for place in places]
    store = EvidenceStore(str(tmp_path / "own"), others=str(tmp_path))

    assert [store.get(digest) for digest in digests] == [{"at": tmp_path.name}, {"at": "b"}]
    assert EvidenceStore(str(tmp_path / "own")).get(digests[0]) is None
    assert not (tmp_path / "own").exists()


def test_a_changed_or_missing_document_is_none_and_is_written_anew(tmp_path: Path) -> None:
    store = EvidenceStore(str(tmp_path))
    digest = store.put({"a": 1})
    path = tmp_path / digest[:2] / f"{digest}.json"
    path.write_text('{"a":2}')

    assert store.get(digest) is None
    assert store.get("0" * 64) is None
    assert store.get("../../etc/passwd") is None
    assert store.put({"a": 1}) == digest
    assert store.get(digest) == {"a": 1}


@pytest.mark.parametrize("data", [b"junk", b"[1]", b"[" * 200_000, b"\xff"])
def test_what_is_no_document_of_ours_is_none(tmp_path: Path, data: bytes) -> None:
    digest = sha256(data)
    path = tmp_path / digest[:2] / f"{digest}.json"
    path.parent.mkdir()
    path.write_bytes(data)

    assert EvidenceStore(str(tmp_path)).get(digest) is None


def test_a_document_that_is_too_long_is_none(tmp_path: Path) -> None:
    digest = EvidenceStore(str(tmp_path)).put({"a": 1})

    assert EvidenceStore(str(tmp_path), most=7).get(digest) == {"a": 1}
    assert EvidenceStore(str(tmp_path), most=6).get(digest) is None


def test_a_disk_that_fails_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DiskFailed):
        EvidenceStore(str(tmp_path / "file")).put({"a": 1})
