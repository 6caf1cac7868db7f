"""Prints when shops are open: `python -m hours FILE`; `--json` for programs."""

import json
import sys
from pathlib import Path

from hours import HoursError, minutes, parse, show


def table(text: str) -> str:
    lines = []
    for line in text.splitlines():
        name, _, written = line.partition(": ")
        try:
            spans = parse(written)
        except HoursError as exc:
            lines.append(f"{name:<8} {exc}")
        else:
            lines.append(f"{name:<8} {show(spans)} ({minutes(spans)} min)")
    return "\n".join(lines) + "\n"


def main() -> None:
    if sys.argv[1:] == ["--json"]:
        told = []
        for text in json.load(sys.stdin):
            try:
                told.append([list(span) for span in parse(text)])
            except HoursError as exc:
                told.append(str(exc))
        json.dump(told, sys.stdout)
        return
    sys.stdout.write(table(Path(sys.argv[1]).read_text()))


if __name__ == "__main__":
    main()
