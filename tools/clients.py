"""The real clients: install them, and record what they print for the tests of their readers.

`python -m tools.clients install [NAME…]` puts the versions of `tests/clients.py` into the cache.
`python -m tools.clients record [NAME…]` runs each against the scripted model, offline, once for
every scene of `tests/contract/clients/scenes.py`, and writes `tests/data/agents` anew: what it
printed, what it complained of, and its exit code. Long lists that nobody reads are left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.clients import PACKAGES, install, installed
from tests.contract.clients.scenes import SIDE, Scene, scenes
from tests.contract.clients.stage import Ran, Stage
from tests.scripted_model.server import Models, serving

DATA = Path(__file__).parent.parent / "tests" / "data" / "agents"
RETRY_SECONDS = 20.0  # for those that try again for ever
_MOST_ERRORS = 6000  # bytes
_MOST_ITEMS = 8  # of a list
_MOST_LINES = 40  # of a client that goes round in circles
_PORT = re.compile(r"127\.0\.0\.1:\d+")


def main(argv: Sequence[str]) -> int:
    command, *names = argv or ["help"]
    chosen = names or list(PACKAGES)
    if command == "install":
        with ThreadPoolExecutor() as pool:
            found = dict(zip(chosen, pool.map(install, chosen), strict=True))
        missing = [name for name in chosen if found[name] is None]
        print(f"not installed: {', '.join(missing)}" if missing else "all are installed")
        return 1 if missing else 0
    if command == "record":
        with serving() as models:
            for name in chosen:
                record(name, models)
        return 0
    print(__doc__)
    return 2


def record(name: str, models: Models) -> None:
    program = installed(name)
    if program is None:
        sys.exit(f"{name} is not installed: python -m tools.clients install {name}")
    DATA.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=DATA))
    codes = {}
    for title, scene in scenes(name).items():
        ran, place = _run(name, program, title, scene, models)
        codes[title] = ran.exit_code
        (folder / f"{title}.jsonl").write_text(_trimmed(_shown(ran.out, place, program)))
        if ran.err:
            errors = _shown(ran.err, place, program)[-_MOST_ERRORS:]
            (folder / f"{title}.err").write_text(errors)
        print(f"{name} {title}: {ran.record.ending}, exit code {ran.exit_code}")
    (folder / "exit-codes.json").write_text(json.dumps(codes, indent=1) + "\n")
    (folder / "version").write_text(f"{PACKAGES[name][1]}\n")
    folder.chmod(0o755)
    shutil.rmtree(DATA / name, ignore_errors=True)
    folder.rename(DATA / name)


def _run(name: str, program: Path, title: str, scene: Scene, models: Models) -> tuple[Ran, Path]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        lane = models.lane(f"{name}-{title}")
        lane.script(turns=scene.turns, rules=scene.rules, side=SIDE)
        stage = Stage(name, program, Path(folder), lane.url)
        if scene.subscribed:
            stage.subscribe()
        asked = stage.asked(microdollars=scene.microdollars)
        return stage.run(asked, b"write out.txt", seconds=RETRY_SECONDS), Path(folder)


def _shown(printed: bytes, place: Path, program: Path) -> str:
    """Without the paths and the ports of the machine."""
    text = printed.decode(errors="replace")
    cache = str(program.parents[3])
    for path, name in ((str(place), "/stage"), (cache, "/clients"), (os.getcwd(), "/goalkeeper")):
        text = text.replace(path, name).replace(path.replace("/", "-"), name.replace("/", "-"))
    return _PORT.sub("127.0.0.1:4010", text)


def _trimmed(out: str) -> str:
    lines = out.splitlines()
    return "".join(f"{_short(line)}\n" for line in lines[:_MOST_LINES])


def _short(line: str) -> str:
    try:
        event = json.loads(line)
    except ValueError:
        return line
    kept = {
        name: value[:_MOST_ITEMS] if isinstance(value, list) else value
        for name, value in event.items()
    }
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
