"""What the real clients printed (python -m tools.clients record), read back."""

from __future__ import annotations

import json
from pathlib import Path

from goalkeeper.clients.client import Activity
from goalkeeper.clients.table import find_client
from goalkeeper.core.drive.phases import Record

DATA = Path(__file__).parents[2] / "data" / "agents"


def printed(client: str, scene: str) -> list[bytes]:
    return (DATA / client / f"{scene}.jsonl").read_bytes().splitlines()


def recorded_version(client: str) -> str:
    return (DATA / client / "version").read_text().strip()


def exit_code(client: str, scene: str) -> int | None:
    """How the client ended; None: it would not, and the recorder ended it."""
    codes: dict[str, int | None] = json.loads((DATA / client / "exit-codes.json").read_text())
    return codes[scene]


def replayed(client: str, scene: str) -> tuple[Record, list[Activity]]:
    errors = DATA / client / f"{scene}.err"
    return read(
        client,
        printed(client, scene),
        exit_code=exit_code(client, scene),
        errors=errors.read_bytes() if errors.exists() else b"",
    )


def read(
    client: str, lines: list[bytes], *, exit_code: int | None = 0, errors: bytes = b""
) -> tuple[Record, list[Activity]]:
    reader = find_client(client).make_reader()
    heard = [reader.read_line(line) for line in lines]
    record = reader.make_record(exit_code=exit_code, errors=errors)
    return record, [activity for activity in heard if activity]
