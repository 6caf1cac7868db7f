"""What no file of the repository may say."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE_PATH = re.compile(r"(?<![\w.})>-])/(?:work|root)/")


def texts() -> dict[str, str]:
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {
        name: (ROOT / name).read_text(errors="replace")
        for name in names.split("\0")
        if name != "uv.lock" and (ROOT / name).is_file()
    }


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts().items()
        for number, line in enumerate(text.splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]

    assert found == []
