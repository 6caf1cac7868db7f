"""The bytes of a ledger: whoever reads it elsewhere, and every digest, depends on them."""

from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.events import GoalCheckpointed
from goalkeeper.core.snapshot import Position
from goalkeeper.storage.ledger import GENESIS, seal_events
from goalkeeper.wire.canonical import sha256
from tests.unit.core.helpers import AT, HUMAN


def test_a_line_is_compact_and_its_letters_are_those_that_were_said() -> None:
    said = GoalCheckpointed("G001", CheckpointStatus.FAILED, "läuft nicht ✗")

    data, after = seal_events((said,), at=AT, actor=HUMAN, after=GENESIS)

    line = (
        f'{{"seq":1,"at":"{AT}","kind":"goal_checkpointed","v":1,'
        '"actor":{"kind":"human","how":"terminal"},'
        '"data":{"goal_id":"G001","status":"failed","evidence":"läuft nicht ✗"},'
        f'"prev":"{GENESIS.head}"}}'
    ).encode()
    assert data == line + b"\n"
    assert after == Position(1, 0, len(data), sha256(line))
