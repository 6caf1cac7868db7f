"""Receipts as strangers get them, three programs that verify them, and a forger's tools."""

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from goalkeeper.verifier.script import join_script
from tests.e2e.loaded import load
from tests.e2e.project import BROKEN, MENDED, Project, contract, criterion
from tests.e2e.world import PLAIN_PATH
from tests.in_process import run_in_process

IN_TOTO = "application/vnd.in-toto+json"
NOTES = "refs/notes/goalkeeper"
CHECKOUT = {".goalkeeper/config.toml": 'version = 1\n[witness]\nisolation = "checkout"\n'}
LANE = {
    "goal": "G001", "role": "architect", "agent": "claude", "session": "5f2c", "model": "m",
    "tree": "0" * 40,
    "trust": "independent", "transcript": "a" * 64, "answer": "b" * 64,
}  # fmt: skip
IS_SEEN = {"command": ["grep", "-q", "seen", "notes.txt"]}
SEEN = {"notes.txt": "seen\n"}
REASONS = ("--evidence", "import.log line 40", "--rationale", "it decides the order")
ADD = ("steer", "--kind", "add_subgoal", "--title", "Look", "--objective", "Find out why.")

# Another implementation of DSSE, asked in a process of its own.
INDEPENDENT = """
import hashlib, json, sys
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        envelope = Envelope.from_dict(json.load(file))
    with open(sys.argv[2], "rb") as file:
        public = load_pem_public_key(file.read())
    name = hashlib.sha256(public.public_bytes_raw()).hexdigest()
    accepted = envelope.verify([SSlibKey.from_crypto(public, name)], 1)
    assert envelope.payload_type == "application/vnd.in-toto+json"
    print(json.dumps({"keys": list(accepted), "statement": json.loads(envelope.payload)}))
"""


class Ruling(NamedTuple):
    """What a program that verifies says: its exit code, its reasons, and all of it."""

    code: int
    reasons: list[str]
    told: Any
    err: str

    @property
    def brief(self) -> tuple[int, list[str]]:
        return self.code, self.reasons


HOLDS: tuple[int, list[str]] = (0, [])


def refused(*reasons: str) -> tuple[int, list[str]]:
    return 1, list(reasons)


class Stranger:
    """Somebody with a clone and a home of their own, who has never used goalkeeper."""

    def __init__(self, place: Path, origin: Path) -> None:
        self.clone = place / "clone"
        self.home = place / "home"
        self.alone = place / "alone"  # a folder with nothing but a copy of the verifier
        self.home.mkdir(parents=True)
        self.alone.mkdir()
        (self.alone / "verifier.py").write_text(join_script())
        git("clone", "--quiet", origin.as_uri(), self.clone, cwd=place)

    def by_goalkeeper(self, envelope: bytes | None, key: bytes, *more: str) -> Ruling:
        """No envelope: as the note of the commit has it. There is no ledger."""
        receipt, trusted = self._given(envelope, key)
        named = ("--file", receipt.name) if receipt else ()
        words = ("receipt", "verify", *named, "--key", trusted.name, *more)
        return self._rule(*words)

    def by_command(self, envelope: bytes | None, key: bytes, *more: str) -> Ruling:
        receipt, trusted = self._given(envelope, key)
        named = (receipt.name,) if receipt else ()
        words = ("verify-receipt", *named, "--key", trusted.name, *more)
        return self._rule(*words)

    def by_script(self, envelope: bytes | None, key: bytes, *more: str | Path) -> Ruling:
        receipt, trusted = self._given(envelope, key)
        named = (receipt,) if receipt else ()
        words = (*named, "--key", trusted, "--repository", self.clone, *more, "--json")
        done = load("verifier.py", join_script()).run(*words, cwd=self.alone, env=self._environ)
        return _ruling(done.returncode, done.stdout, done.stderr)

    def told_by_script(self, envelope: bytes, key: bytes) -> tuple[int, str, str]:
        """What people read, who have the script as a file."""
        receipt, trusted = self._written("receipt.json", envelope), self._written("them.pub", key)
        words = (
            sys.executable, "-I", "verifier.py", receipt, "--key", trusted,
            "--repository", self.clone,
        )  # fmt: skip
        done = subprocess.run(
            words, cwd=self.alone, env=self._environ, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def by_all(
        self, envelope: bytes | None, key: bytes, *more: str, policy: str = ""
    ) -> tuple[int, list[str]]:
        """What the three say, who must agree."""
        rules = self._written("policy.toml", policy.encode()) if policy else None
        ours = (*more, "--policy", rules.name) if rules else more
        alone: tuple[str | Path, ...] = (*more, "--policy", rules) if rules else more
        first, *others = (
            self.by_script(envelope, key, *alone),
            self.by_command(envelope, key, *ours),
            self.by_goalkeeper(envelope, key, *ours),
        )
        for other in others:
            assert other.told.get("reasons") == first.told["reasons"], (other, first)
            assert other.brief == first.brief, (other, first)
        return first.brief

    def fetch_notes(self) -> None:
        """As the documents say."""
        git("fetch", "--quiet", "origin", f"{NOTES}:{NOTES}", cwd=self.clone)

    def note(self, data: bytes, commit: str = "HEAD") -> None:
        """Write what somebody else might have written there."""
        found = self._written("note", data)
        blob = git("hash-object", "-w", found.name, cwd=self.clone)
        found.unlink()
        git("notes", "--ref", NOTES, "add", "--force", "-C", blob, commit, cwd=self.clone)

    def by_securesystemslib(self, envelope: bytes, key: bytes) -> Any:  # noqa: ANN401  JSON
        """What it found signed; None where it finds nothing."""
        words = (self._written("receipt.json", envelope), self._written("them.pub", key))
        done = load("independent.py", INDEPENDENT).run(*words, cwd=self.alone, env=self._environ)
        assert done.returncode in {0, 1}, done
        return json.loads(done.stdout) if done.returncode == 0 else None

    def _given(self, envelope: bytes | None, key: bytes) -> tuple[Path | None, Path]:
        receipt = None if envelope is None else self._written("receipt.json", envelope)
        return receipt, self._written("them.pub", key)

    def _written(self, name: str, data: bytes) -> Path:
        """Beside the files of the clone, and no part of any commit."""
        path = self.clone / name
        path.write_bytes(data)
        return path

    def _rule(self, *words: str) -> Ruling:
        done = run_in_process((*words, "--json"), cwd=self.clone, environ=self._environ)
        return _ruling(done.code, done.out.decode(), done.err.decode())

    @property
    def _environ(self) -> dict[str, str]:
        return {"PATH": PLAIN_PATH, "HOME": str(self.home), "LANG": "C.UTF-8"}


def _ruling(code: int, out: str, err: str) -> Ruling:
    assert "Traceback" not in err, err
    told = json.loads(out)
    if "error" in told:
        return Ruling(code, [told["error"]["code"]], told, err)
    assert told["ok"] is (code == 0), (code, out)
    reasons = [reason["code"] for reason in told["reasons"]]
    return Ruling(code, reasons, told, err)


def git(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


# What was issued


def begun(place: Path) -> Project:
    """A human's plan of two goals, the first one active, judged without a sandbox."""
    project = Project(place, {**BROKEN, **CHECKOUT})
    return project.begin(contract(), contract(criterion("C1", IS_SEEN)), env=project.human())


def both_completed(project: Project) -> Project:
    """Each in a commit of its own."""
    for goal, files in (("G001", MENDED), ("G002", SEEN)):
        project.write(files)
        project.commit(f"for {goal}")
        certified(project, goal)
    return project


def certified(project: Project, goal: str) -> None:
    answer = project.complete(goal)
    assert (answer.code, answer.err) == (0, ""), answer
    assert "warnings" not in answer.json, answer


def receipts(project: Project) -> list[Any]:
    listed: list[Any] = project.ok("receipt", "list")["receipts"]
    return listed


def states(project: Project) -> dict[str, bool]:
    """Whether each is fresh, by goal, the final one as `final`; the latest counts."""
    return {each["goal_id"] or "final": each["stale"] is None for each in receipts(project)}


def envelope_of(project: Project, goal: str = "") -> bytes:
    """The last receipt of a goal, else the last final one, as it lies on the disk."""
    found = [each for each in receipts(project) if each["goal_id"] == goal]
    (path,) = project.state.glob(f"runs/*/receipts/{found[-1]['digest']}.json")
    return path.read_bytes()


def statement_in(envelope: bytes) -> Any:  # noqa: ANN401  JSON
    return json.loads(base64.b64decode(json.loads(envelope)["payload"]))


def subjects(statement: Mapping[str, Any]) -> dict[str, str]:
    return {kind: name for each in statement["subject"] for kind, name in each["digest"].items()}


def keys_of(project: Project) -> Path:
    return project.home / ".config/goalkeeper/keys"


def public_key(project: Project) -> bytes:
    """As a user hands it out: by `keys export > goalkeeper.pub`."""
    answer = project.run("keys", "export")
    assert (answer.code, answer.err) == (0, ""), answer
    return answer.out.encode()


# A forger's tools

Change = Callable[[Any, Any], object]  # of a statement and its predicate


class Desk(NamedTuple):
    """What a forger has: true receipts, a key of their own, and in bad dreams the user's."""

    final: bytes
    first: bytes  # of G001
    theirs: Ed25519PrivateKey
    mine: Ed25519PrivateKey
    trusted: bytes
    stranger: Stranger
    project: Project

    @classmethod
    def at(cls, place: Path) -> "Desk":
        project = both_completed(begun(place / "project"))
        return cls(
            envelope_of(project),
            envelope_of(project, "G001"),
            private_key(project),
            Ed25519PrivateKey.generate(),
            public_key(project),
            Stranger(place / "stranger", project.root),
            project,
        )

    @property
    def payload(self) -> bytes:
        return base64.b64decode(json.loads(self.final)["payload"])

    def altered(self, **fields: object) -> bytes:
        """The envelope with these fields; None: without."""
        told = {**json.loads(self.final), **fields}
        return _json({name: value for name, value in told.items() if value is not None})

    def signed_so(self, **fields: object) -> bytes:
        """The signature with these fields."""
        (only,) = json.loads(self.final)["signatures"]
        changed = {**only, **fields}
        return self.altered(
            signatures=[{name: value for name, value in changed.items() if value is not None}]
        )

    def told(self, change: "Change") -> bytes:
        """A statement that says something else, whoever signs it."""
        statement = statement_in(self.final)
        change(statement, statement["predicate"])
        return _json(statement)


def _json(told: object) -> bytes:
    return json.dumps(told).encode()


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def private_key(project: Project) -> Ed25519PrivateKey:
    """That of the project's user, which a forger would give much for."""
    name = (keys_of(project) / "current").read_text().strip()
    found = load_pem_private_key((keys_of(project) / f"{name}.pem").read_bytes(), None)
    assert isinstance(found, Ed25519PrivateKey)
    return found


def pem(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def name_of(key: Ed25519PrivateKey) -> str:
    return hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()


def signature(payload: bytes, key: Ed25519PrivateKey, kind: str = IN_TOTO) -> dict[str, str]:
    """By the words of the specification of DSSE, with nothing of ours."""
    text = b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload)
    return {"keyid": name_of(key), "sig": base64.b64encode(key.sign(text)).decode()}


def envelope(payload: bytes, *keys: Ed25519PrivateKey) -> bytes:
    signatures = [signature(payload, key) for key in keys]
    told = base64.b64encode(payload).decode()
    return json.dumps({"payload": told, "payloadType": IN_TOTO, "signatures": signatures}).encode()


def home_is_untouched(stranger: Stranger) -> bool:
    return os.listdir(stranger.home) == []
