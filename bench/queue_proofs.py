"""`python -m bench.queue_proofs`: how many proofs the queue needs for sessions that wait together.

Twenty sessions are at work at once, and one of them does not fit another. All is real: processes,
worktrees, proofs. Run it from the repository: the campaign comes from tests/e2e.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Script, shell


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.queue_proofs", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    args = parser.parse_args()
    names = [f"{number:02d}" for number in range(1, args.sessions + 1)]
    with tempfile.TemporaryDirectory(prefix="goalkeeper-queue-") as folder:
        campaigned = Campaigned(Path(folder), {f"parts/{name}.txt": "broken\n" for name in names})
        bad, other = names[-1], names[len(names) // 3]  # sessions begin in their order
        steps = {name: Step(f"parts/{name}.txt") for name in names}
        # The bad one does better when it begins again, because the other is there by then.
        fits = f"grep -q fixed parts/{other}.txt && ! grep -q loud parts/{bad}.txt"
        steps[other] = steps[other]._replace(verify=fits)
        scripts: dict[str, Script] = {name: {"*": [mend(steps[name].path)]} for name in names}
        loud = f"grep -q fixed parts/{other}.txt && w=fixed || w='fixed loud'; echo $w > "
        scripts[bad] = {"*": [shell(loud + steps[bad].path)]}
        campaigned.plan_sessions(
            *(Session(f"part {name}", [steps[name]]) for name in names),
            scripts=[scripts[name] for name in names],
        )
        began = time.monotonic()
        answer = campaigned.work(parallel=args.sessions)
        seconds = time.monotonic() - began
        (ledger,) = campaigned.state.glob("campaigns/*/ledger.jsonl")
        entries = [json.loads(line) for line in ledger.read_text().splitlines()]
        told = campaigned.show()
    proofs = [e for e in entries if e["kind"] in {"batch_proven", "batch_refused"}]
    for entry in proofs:
        print(f"{entry['kind']}: {', '.join(entry['data']['session_ids'])}")
    landed = sum(each["status"] == "landed" for each in told["sessions"])
    bounced = [each["id"] for each in told["sessions"] if each["recovery"]]
    alone = args.sessions + 1 + len(bounced)
    print(
        f"{landed} of {args.sessions} landed, bounced: {', '.join(bounced) or 'none'}; "
        f"{len(proofs)} proofs, one by one it would be {alone}; {seconds:.0f} s"
    )
    return answer.code


if __name__ == "__main__":
    raise SystemExit(main())
