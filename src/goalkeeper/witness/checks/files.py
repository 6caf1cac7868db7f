"""`file` and the manifest's kinds: what the tree contains, and what the change touches."""

from __future__ import annotations

import os
import re
import tempfile
from hashlib import sha256

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.globs import matching
from goalkeeper.system.run import Limits, run
from goalkeeper.witness.check_context import Ended, Place, Seen, exited, failed, passed, some


def file(check: Check, place: Place) -> Seen:
    found = matching(place.files.paths(), (check.main,))
    if check.options["is"] == "absent":
        return failed(f"{some(found)} exists") if found else passed(f"no {check.main}")
    most = check.options["max_count"]
    if len(found) < check.options["min_count"]:
        return failed(f"{len(found)} files match {check.main}, expected at least "
                      f"{check.options['min_count']}")  # fmt: skip
    if most is not None and len(found) > most:
        return failed(f"{len(found)} files match {check.main}, expected at most {most}")
    for path in found:
        wrong = _contents(check, path, place)
        if wrong:
            return failed(wrong)
    return passed(f"{len(found)} files match {check.main}")


def _contents(check: Check, path: str, place: Place) -> str:
    digest, pattern = check.options["sha256"], check.options["contains"]
    if not digest and not pattern:
        return ""
    data = place.files.read(path)
    if data is None:
        return f"{path} is not a plain file"
    if digest and sha256(data).hexdigest() != digest:
        return f"{path} has another SHA-256"
    text = data.decode(errors="replace")
    if pattern and not re.search(pattern, text, re.MULTILINE):
        return f"{path} does not contain {pattern}"
    return ""


def expected_paths(check: Check, place: Place) -> Seen:
    paths = place.files.paths()
    missing = [wanted for wanted in check.main if not matching(paths, (wanted,))]
    if missing:
        return failed(f"missing: {', '.join(missing)}")
    least = check.options["min_file_count"]
    counted = matching(paths, check.main) if check.main else list(place.work.changed)
    if len(counted) < least:
        return failed(f"{len(counted)} files, expected at least {least}")
    return passed(f"{len(counted)} files are there")


def forbidden_paths(check: Check, place: Place) -> Seen:
    touched = matching(place.work.changed, check.main)
    return failed(f"changed: {some(touched)}") if touched else passed("none was changed")


def must_contain(check: Check, place: Place) -> Seen:
    for wanted in check.main:
        data = place.files.read(wanted["path"])
        if data is None:
            return failed(f"{wanted['path']} is missing")
        if not re.search(wanted["pattern"], data.decode(errors="replace"), re.MULTILINE):
            return failed(f"{wanted['path']} does not contain {wanted['pattern']}")
    return passed("every pattern is there")


def bash_syntax_check(check: Check, place: Place) -> Seen:
    """bash only parses the scripts, so it needs no checkout."""
    found = matching(place.files.paths(), check.main)
    if not found:
        return failed(f"no script matches {', '.join(check.main)}")
    for path in found:
        script = place.files.read(path)
        if script is None:
            return failed(f"{path} is not a plain file")
        ended = _parsed(script)
        ran = exited(ended)
        if isinstance(ran, Seen):
            return ran
        if ran.code != 0:
            said = ran.err.text.replace(ended.argv[-1], path).strip()[:200]
            return failed(said or f"bash -n {path} exits {ran.code}", ended)
    return passed(f"bash can parse {len(found)} scripts")


def _parsed(script: bytes) -> Ended:
    with tempfile.NamedTemporaryFile(prefix="goalkeeper-", suffix=".sh") as file:
        file.write(script)
        file.flush()
        argv = ("bash", "-n", file.name)
        env = {"PATH": os.environ.get("PATH", os.defpath)}
        return Ended(argv, run(argv, cwd="/", env=env, limits=Limits(seconds=30)))
