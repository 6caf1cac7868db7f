"""A `python3` for the suites of projects that are judged: it has pytest, and none of our plugins.

Our own environment loads hypothesis and others into every pytest; that doubles what a run costs.
"""

import os
import sys
import tempfile
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

_WANTED = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")


@cache
def lean_python() -> Path:
    """Give the folder that `python3` lies in; it is made once, beside our own environment."""
    place = Path(sys.prefix, "lean-python")
    if not place.exists():
        made = _make(Path(tempfile.mkdtemp(dir=sys.prefix)))
        try:
            made.rename(place)
        except OSError:  # another worker was quicker
            assert place.exists()
    return place / "bin"


def _make(place: Path) -> Path:
    """Make a virtual environment of links."""
    base = Path(os.path.realpath(sys.executable))
    place.chmod(0o755)
    # Without the second line, the plugins of the system's own Python are loaded, too.
    settings = f"home = {base.parent}\ninclude-system-site-packages = false\n"
    (place / "pyvenv.cfg").write_text(settings)
    (place / "bin").mkdir()
    for name in ("python", "python3"):
        (place / "bin" / name).symlink_to(base)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = place / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    for name in _WANTED:
        found = distribution(name)
        for top in {path.parts[0] for path in found.files or () if path.parts[0] != ".."}:
            (packages / top).symlink_to(os.path.realpath(str(found.locate_file(top))))
    return place
