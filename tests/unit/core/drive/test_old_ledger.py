"""A drive as the first version wrote it, when one phase ran at a time: its bytes stay readable."""

import json

from goalkeeper.core import codec
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Record, Spend
from goalkeeper.core.drive.state import Budget, Drive, LineOfWork, Running, Worktree
from goalkeeper.core.fold import apply
from goalkeeper.core.plan.model import Plan
from goalkeeper.wire.canonical import compact
from tests.tables import for_each
from tests.unit.core.helpers import frozen_plan

# Kind, version and data, as they stand in a ledger; a second of the clock is between two lines.
LINES = """
["drive_began",1,{"agent":"claude","depth":"full","budget":{"iterations":5,"seconds":0,"microdollars":0,"tokens":0,"phase_seconds":3600,"stall_seconds":600,"pause_seconds":21600,"backoff_seconds":30}}]
["worktree_made",1,{"worktree":{"goal_id":"G001","path":"/yard/G001","branch":"goalkeeper/r/G001","commit":"c"},"tree":"tree0"}]
["phase_skipped",1,{"goal_id":"G001","iteration":1,"phase":"plan","reason":"small"}]
["phase_began",1,{"running":{"goal_id":"G001","iteration":1,"phase":"impl","attempt":1,"marker":"m1","tree":"tree0","pid":0},"agent":"claude","prompt":"p"}]
["phase_spawned",1,{"pid":77,"born":"123","argv":"a"}]
["phase_ended",1,{"goal_id":"G001","iteration":1,"phase":"impl","attempt":1,"record":{"client":"claude","ending":"rate-limited","spend":{"input_tokens":100,"output_tokens":20,"cached_tokens":80,"microdollars":2500},"tool_calls":3,"milliseconds":1200},"tree":"tree1"}]
["refs_moved",1,{"goal_id":"G001","refs":["refs/heads/main gone"]}]
["drive_paused",1,{"until":"2026-01-01T12:00:20.000000Z","why":"rate-limited: a limit"}]
["drive_resumed",1,{}]
["terms_changed",1,{"agent":"claude","depth":"quick","budget":{"iterations":5,"seconds":0,"microdollars":0,"tokens":0,"phase_seconds":3600,"stall_seconds":600,"pause_seconds":21600,"backoff_seconds":30},"model":"large"}]
["phase_began",1,{"running":{"goal_id":"G001","iteration":1,"phase":"impl","attempt":2,"marker":"m2","tree":"tree1","pid":0},"agent":"claude","prompt":"p"}]
["phase_spawned",1,{"pid":78,"born":"124","argv":"a"}]
["phase_ended",1,{"goal_id":"G001","iteration":1,"phase":"impl","attempt":2,"record":{"client":"claude","ending":"ok","spend":{"input_tokens":1,"output_tokens":1,"cached_tokens":0},"tool_calls":1,"milliseconds":1},"tree":"tree2"}]
["goal_judged",1,{"goal_id":"G001","iteration":1,"judgement":{"tree":"tree2","contract":"d","criteria":[{"id":"C1","verdict":"failed","cached":false}],"findings":[{"rule":"test-removed","level":"blocking","path":"a.py","line":3,"message":"gone"}],"uncached":false},"decision":"REPLAN"}]
["judgement_stood",1,{"goal_id":"G001"}]
["phase_began",1,{"running":{"goal_id":"G001","iteration":2,"phase":"impl","attempt":1,"marker":"m3","tree":"tree2","pid":0},"agent":"claude","prompt":"p"}]
["phase_spawned",1,{"pid":79,"born":"125","argv":"a"}]
["drive_ended",1,{"reason":"failed","detail":"the disk is full"}]
""".strip().splitlines()

# The first version knew none of these.
LATER = {"artifacts_checked", "clock_jumped", "criteria_left", "judgement_asked"}
WORKTREE = Worktree("G001", "/yard/G001", "goalkeeper/r/G001", "c")
FINDING = Finding("test-removed", Level.BLOCKING, "a.py", 3, "gone")


def second(number: int) -> str:
    return f"2026-01-01T12:00:{number:02d}.000000Z"


def folded(lines: list[str]) -> Plan:
    plan = frozen_plan()
    for number, line in enumerate(lines):
        plan = apply(plan, codec.decode_event(*json.loads(line)), second(number))
    return plan


def test_every_kind_of_event_about_a_drive_is_among_the_lines() -> None:
    told = {json.loads(line)[0] for line in LINES}

    drives = {kind for kind, shape in codec.EVENT_KINDS.items() if "core.drive" in shape.__module__}
    assert drives - LATER == told - {"goal_judged"}


def test_an_old_drive_comes_out_as_it_was() -> None:
    record = Record(
        "claude", Ending.OK, spend=Spend(1, 1, 0, None), tool_calls=1, milliseconds=1
    )  # fmt: skip
    line = LineOfWork(
        WORKTREE, "tree2", "tree2", findings=(FINDING,),
        running=Running("G001", 2, Phase.IMPL, 1, "m3", "tree2", 79, "125"),
        attempts=1, last=record,
    )  # fmt: skip
    assert folded(LINES).drive == Drive(
        "claude", Depth.QUICK, Budget(), second(0),
        milliseconds=14_000,  # 7 until the pause, and 7 from the phase that ended it
        spend=Spend(101, 21, 80, 2500), unpriced=1, lines=(line,),
        paused_for="rate-limited: a limit", ended="failed", detail="the disk is full",
        model="large",
    )  # fmt: skip


@for_each("number", [n for n, line in enumerate(LINES) if "phase_spawned" in line])
def test_a_process_without_a_goal_belongs_to_the_phase_that_began_before_it(number: int) -> None:
    drive = folded(LINES[: number + 1]).drive
    assert drive

    spawned, began = json.loads(LINES[number])[2], json.loads(LINES[number - 1])[2]
    assert [(phase.marker, phase.pid, phase.born) for phase in drive.running] == [
        (began["running"]["marker"], spawned["pid"], spawned["born"])
    ]


@for_each("line", LINES, ids=lambda line: line[2:20])
def test_the_bytes_of_an_old_line_are_those_that_are_written_today(line: str) -> None:
    kind, _, data = json.loads(line)

    assert compact(codec.encode_event(codec.decode_event(kind, 1, data))[2]) == compact(data)
