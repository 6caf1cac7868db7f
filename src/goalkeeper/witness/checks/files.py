"""`file` and the manifest's kinds: what the tree contains, and what the change touches."""

from __future__ import annotations

import os
import re
import tempfile
from hashlib import sha256

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.system.run import ProgramLimits, run
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramRun,
    list_some,
    make_failed,
    make_passed,
    require_exit,
)


def check_file(check: Check, place: CheckContext) -> CheckResult:
    found = filter_paths(place.files.list_paths(), (check.main_option,))
    if check.options["is"] == "absent":
        return (
            make_failed(f"{list_some(found)} exists")
            if found
            else make_passed(f"no {check.main_option}")
        )
    most = check.options["max_count"]
    if len(found) < check.options["min_count"]:
        return make_failed(f"{len(found)} files match {check.main_option}, expected at least "
                      f"{check.options['min_count']}")  # fmt: skip
    if most is not None and len(found) > most:
        return make_failed(f"{len(found)} files match {check.main_option}, expected at most {most}")
    for path in found:
        wrong = _check_contents(check, path, place)
        if wrong:
            return make_failed(wrong)
    return make_passed(f"{len(found)} files match {check.main_option}")


def _check_contents(check: Check, path: str, place: CheckContext) -> str:
    digest, pattern = check.options["sha256"], check.options["contains"]
    if not digest and not pattern:
        return ""
    data = place.files.read_file(path)
    if data is None:
        return f"{path} is not a plain file"
    if digest and sha256(data).hexdigest() != digest:
        return f"{path} has another SHA-256"
    text = data.decode(errors="replace")
    if pattern and not re.search(pattern, text, re.MULTILINE):
        return f"{path} does not contain {pattern}"
    return ""


def expected_paths(check: Check, place: CheckContext) -> CheckResult:
    paths = place.files.list_paths()
    missing = [wanted for wanted in check.main_option if not filter_paths(paths, (wanted,))]
    if missing:
        return make_failed(f"missing: {', '.join(missing)}")
    least = check.options["min_file_count"]
    counted = (
        filter_paths(paths, check.main_option) if check.main_option else list(place.work.changed)
    )
    if len(counted) < least:
        return make_failed(f"{len(counted)} files, expected at least {least}")
    return make_passed(f"{len(counted)} files are there")


def forbidden_paths(check: Check, place: CheckContext) -> CheckResult:
    touched = filter_paths(place.work.changed, check.main_option)
    return (
        make_failed(f"changed: {list_some(touched)}")
        if touched
        else make_passed("none was changed")
    )


def must_contain(check: Check, place: CheckContext) -> CheckResult:
    for wanted in check.main_option:
        data = place.files.read_file(wanted["path"])
        if data is None:
            return make_failed(f"{wanted['path']} is missing")
        if not re.search(wanted["pattern"], data.decode(errors="replace"), re.MULTILINE):
            return make_failed(f"{wanted['path']} does not contain {wanted['pattern']}")
    return make_passed("every pattern is there")


def bash_syntax_check(check: Check, place: CheckContext) -> CheckResult:
    """bash only parses the scripts, so it needs no checkout."""
    found = filter_paths(place.files.list_paths(), check.main_option)
    if not found:
        return make_failed(f"no script matches {', '.join(check.main_option)}")
    for path in found:
        script = place.files.read_file(path)
        if script is None:
            return make_failed(f"{path} is not a plain file")
        ended = _parse_script(script)
        ran = require_exit(ended)
        if isinstance(ran, CheckResult):
            return ran
        if ran.code != 0:
            said = ran.err.text.replace(ended.argv[-1], path).strip()[:200]
            return make_failed(said or f"bash -n {path} exits {ran.code}", ended)
    return make_passed(f"bash can parse {len(found)} scripts")


def _parse_script(script: bytes) -> ProgramRun:
    with tempfile.NamedTemporaryFile(prefix="goalkeeper-", suffix=".sh") as file:
        file.write(script)
        file.flush()
        argv = ("bash", "-n", file.name)
        env = {"PATH": os.environ.get("PATH", os.defpath)}
        return ProgramRun(argv, run(argv, cwd="/", env=env, limits=ProgramLimits(seconds=30)))
