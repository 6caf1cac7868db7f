"""Keys: made when first needed, kept to oneself, renewed by humans, and never missed too much."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

from tests.e2e.project import MENDED, Project
from tests.e2e.receipts import (
    HOLDS,
    SEEN,
    Stranger,
    begun,
    both_completed,
    certified,
    envelope_of,
    keys_of,
    name_of,
    pem,
    private_key,
    public_key,
    receipts,
    refused,
)
from tests.tables import sampled

PEM, PKCS8, PLAIN = Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()


@pytest.fixture
def two(tmp_path: Path) -> Project:
    return begun(tmp_path)


def rights(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def first_completed(project: Project) -> None:
    project.write(MENDED)
    project.commit("for G001")
    certified(project, "G001")


def current(project: Project) -> str:
    name: str = project.ok("keys", "list")["current"]
    return name


# Made and kept


def test_a_key_is_made_when_it_is_first_needed(two: Project) -> None:
    assert "no key yet" in two.run("keys", "list").out
    assert not keys_of(two).exists()

    first_completed(two)

    listed = two.ok("keys", "list")
    assert listed["keys"] == [listed["current"]]
    assert listed["current"] == name_of(private_key(two))
    files = {path.name for path in keys_of(two).iterdir()}
    assert files == {"current", f"{listed['current']}.pem", f"{listed['current']}.pub"}


def test_the_key_stays_the_same(two: Project) -> None:
    first_completed(two)
    before = {path.name: path.read_bytes() for path in keys_of(two).iterdir()}
    two.write(SEEN)
    certified(two, "G002")

    assert {path.name: path.read_bytes() for path in keys_of(two).iterdir()} == before


def test_only_its_owner_reads_it_however_generous_they_are_otherwise(two: Project) -> None:
    before = os.umask(0)
    try:
        first_completed(two)
    finally:
        os.umask(before)

    assert rights(keys_of(two)) == "700"
    assert rights(keys_of(two) / f"{current(two)}.pem") == "600"


def test_it_lies_where_the_user_keeps_configuration(two: Project, tmp_path: Path) -> None:
    elsewhere = {"XDG_CONFIG_HOME": str(tmp_path / "configuration")}
    two.write(MENDED)
    assert two.complete(env=elsewhere).code == 0

    name = two.ok("keys", "list", env=elsewhere)["current"]
    assert (tmp_path / f"configuration/goalkeeper/keys/{name}.pem").exists()
    assert two.run("keys", "list").out.startswith("There is no key yet")
    assert two.run("receipt", "verify", "--json").code == 1


def test_nothing_secret_comes_into_the_repository(two: Project) -> None:
    both_completed(two)
    secret = private_key(two)
    marks = (b"PRIVATE KEY", secret.private_bytes_raw(), secret.private_bytes_raw().hex().encode())

    files = [path for path in two.root.rglob("*") if path.is_file()]
    assert len(files) > 10
    assert not [path for path in files if any(mark in path.read_bytes() for mark in marks)]


# Handed out


def test_the_public_key_is_printed_as_it_is(two: Project) -> None:
    first_completed(two)

    told = two.ok("keys", "export")
    assert told["key_id"] == current(two)
    assert told["pem"].encode() == public_key(two) == pem(private_key(two))
    assert b"PRIVATE" not in public_key(two)


@pytest.mark.parametrize("name", ["", "0" * 64, "../keys/current", "current"])
def test_a_key_that_is_not_there_is_not_printed(two: Project, name: str) -> None:
    if name:
        first_completed(two)
    words = ("--key-id", name) if name else ()

    answer = two.run("keys", "export", *words, "--json")
    assert (answer.code, answer.reason) == (2, "usage")
    assert not keys_of(two).exists() or name


# Renewed


@pytest.mark.parametrize("marker", [{}, {"CLAUDECODE": "1"}])
def test_an_agent_renews_no_key(two: Project, marker: dict[str, str]) -> None:
    first_completed(two)
    before = two.ok("keys", "list")
    approval = two.human() if marker else {}

    answer = two.run("keys", "rotate", "--json", env={**approval, **marker})

    assert (answer.code, answer.reason) == (1, "keys-need-human")
    assert two.ok("keys", "list") == before


def test_a_human_renews_it_and_what_was_signed_before_still_holds(
    two: Project, tmp_path: Path
) -> None:
    first_completed(two)
    old, old_key = current(two), public_key(two)
    two.ok("keys", "rotate", env=two.human())
    new = current(two)
    two.write(SEEN)
    two.commit("for G002")
    certified(two, "G002")

    assert (new != old, sorted(two.ok("keys", "list")["keys"])) == (True, sorted([old, new]))
    assert rights(keys_of(two) / f"{new}.pem") == "600"
    earlier = ("receipt", "verify", "--goal-id", "G001", "--commit", "HEAD~1")
    assert two.run(*earlier).code == 0
    assert two.run("receipt", "verify").code == 0
    assert two.ok("keys", "export", "--key-id", old)["pem"].encode() == old_key
    stranger = Stranger(tmp_path / "stranger", two.root)
    assert stranger.by_all(envelope_of(two), public_key(two)) == HOLDS
    assert stranger.by_all(envelope_of(two), old_key) == refused("wrong-key")


def test_a_human_at_a_terminal_needs_no_approval_key(two: Project) -> None:
    answer = two.on_terminal("keys", "rotate")

    assert answer.code == 0, answer
    assert "signs from now on" in answer.out
    assert current(two)


# Broken


def put(project: Project, data: bytes) -> None:
    (keys_of(project) / f"{current(project)}.pem").write_bytes(data)


def encrypted(project: Project) -> None:
    locked: KeySerializationEncryption = BestAvailableEncryption(b"secret")
    put(project, private_key(project).private_bytes(PEM, PKCS8, locked))


def folder(project: Project) -> None:
    path = keys_of(project) / f"{current(project)}.pem"
    path.unlink()
    path.mkdir()


Spoil = Callable[[Project], object]
SPOILED: dict[str, Spoil] = {
    "missing": lambda p: (keys_of(p) / f"{current(p)}.pem").unlink(),
    "empty": lambda p: put(p, b""),
    "no key": lambda p: put(p, b"\xff not a key\n"),
    "a public key": lambda p: put(p, public_key(p)),
    "elliptic": lambda p: put(
        p, generate_private_key(SECP256R1()).private_bytes(PEM, PKCS8, PLAIN)
    ),
    "for exchange": lambda p: put(p, X25519PrivateKey.generate().private_bytes(PEM, PKCS8, PLAIN)),
    "of another name": lambda p: put(
        p, Ed25519PrivateKey.generate().private_bytes(PEM, PKCS8, PLAIN)
    ),
    "encrypted": encrypted,
    "a folder": folder,
    "unnamed": lambda p: (keys_of(p) / "current").write_text("no-such-key\n"),
    "named in binary": lambda p: (keys_of(p) / "current").write_bytes(b"\xff\0\n"),
}


@pytest.mark.parametrize("how", sampled(SPOILED, one_in=3))
def test_a_goal_is_complete_without_a_receipt_where_the_key_is_spoiled(
    two: Project, how: str
) -> None:
    two.on_terminal("keys", "rotate")
    SPOILED[how](two)
    two.write(MENDED)

    answer = two.complete()

    assert (answer.code, answer.json["status"]) == (0, "complete"), answer
    (warning,) = answer.json["warnings"]
    assert warning.startswith("no receipt: The key that receipts are signed with cannot be used")
    assert receipts(two) == []
    assert list(two.state.glob("runs/*/receipts/*")) == []


def test_a_goal_is_complete_without_a_receipt_where_no_key_can_be_made(two: Project) -> None:
    keys_of(two).parent.mkdir(parents=True, exist_ok=True)
    keys_of(two).write_text("in the way\n")
    two.write(MENDED)

    answer = two.complete()

    assert (answer.code, answer.json["status"]) == (0, "complete"), answer
    (warning,) = answer.json["warnings"]
    assert warning.startswith("no receipt: ")
    assert receipts(two) == []


def test_after_a_spoiled_key_was_renewed_there_are_receipts_again(two: Project) -> None:
    two.on_terminal("keys", "rotate")
    put(two, b"spoiled\n")
    two.write(MENDED)
    two.complete()
    two.ok("keys", "rotate", env=two.human())
    two.write(SEEN)
    two.commit("both")

    certified(two, "G002")
    assert [(r["kind"], r["goal_id"]) for r in receipts(two)] == [("goal", "G002"), ("final", "")]
    assert two.run("receipt", "verify").code == 0


def test_a_stray_file_among_the_keys_does_not_spoil_the_others(two: Project) -> None:
    both_completed(two)
    (keys_of(two) / "stray.pub").write_text("not a key\n")

    assert two.run("receipt", "verify").code == 0
