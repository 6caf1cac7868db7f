"""`python -m goalkeeper.rehearsal --script FILE`: one agent, from its prompt to its result.

Tests start it often, so it imports little, and the rest only when it is needed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence

from goalkeeper.rehearsal import script
from goalkeeper.rehearsal.acts import ScriptMalformed
from goalkeeper.rehearsal.stage import Deed, Leave, RehearsalStage

PHASE = "GOALKEEPER_PHASE"  # the loop sets it for every agent
SESSION = "GOALKEEPER_SESSION"
UNUSABLE = 2


def main(argv: Sequence[str], environ: Mapping[str, str]) -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        moment = script.read_moment(environ.get(PHASE, ""))
        if len(argv) != len(("--script", "FILE")) or argv[0] != "--script":
            raise ScriptMalformed("give it --script FILE, and nothing else")
        deeds = script.deeds_at(script.load_script(argv[1]), moment)
    except ScriptMalformed as exc:
        sys.stderr.write(f"rehearsal: {exc}\n")
        return UNUSABLE
    prompt = sys.stdin.buffer.read().decode(errors="replace")
    session = environ.get(SESSION) or "rehearsal-" + "-".join(moment)
    if deeds is None:
        deeds = (lambda stage: stage.say_text("nothing to do"),)
    return _play(RehearsalStage(prompt, session), deeds)


def _play(stage: RehearsalStage, deeds: Sequence[Deed]) -> int:
    try:
        for deed in deeds:
            deed(stage)
    except Leave as leave:
        return stage.end_session(leave.code, leave.problem)
    except OSError as exc:
        return stage.end_session(1, str(exc))
    return stage.end_session()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
