"""`python -m bench.campaign_kills --kills 300`: campaigns that are killed at random moments.

Run it from the repository: the campaign and what must hold of it come from tests/fault.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fault.campaigns import KilledCampaign, kill_at_random

_KILLS_IN_ONE = 10  # a campaign takes a few seconds, and each kill gives it a few more


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.campaign_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="in all campaigns together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    args = parser.parse_args()
    began, tally, violations = time.monotonic(), Counter[str](), 0
    campaigns = 0
    while tally.total() < args.kills:
        seed = args.seed + campaigns
        folder = tempfile.mkdtemp(prefix=f"goalkeeper-kills-{seed}-")
        campaign = KilledCampaign(Path(folder, "campaign"), "abc")
        campaigns += 1
        try:
            kills = min(_KILLS_IN_ONE, args.kills - tally.total())
            tally += kill_at_random(campaign, random.Random(seed), kills)
            code = campaign.finish()
            found = [*([f"exit {code}"] if code else []), *campaign.find_violations()]
        finally:
            campaign.kill_all()
        violations += len(found)
        for each in found:
            print(f"seed {seed}: {each}; all of it is in {folder}", flush=True)
        if not found:
            shutil.rmtree(folder)
    minutes = (time.monotonic() - began) / 60
    told = ", ".join(f"{number} {what}" for what, number in sorted(tally.items()))
    print(f"{campaigns} campaigns, {tally.total()} kills ({told}), {violations} violations, "
          f"{minutes:.1f} min, seed {args.seed}")  # fmt: skip
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
