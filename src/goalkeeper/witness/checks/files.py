"""`file`, the manifest's kinds, captures: what the tree contains, and what the change touches."""

from __future__ import annotations

import os
import re
import tempfile
from hashlib import sha256

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.globs import filter_paths
from goalkeeper.core.problems import cut_text
from goalkeeper.system.run import ProgramLimits, run
from goalkeeper.witness.captures import JUDGES
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramRun,
    list_some,
    make_failed,
    make_passed,
    make_result,
    require_file,
)


def check_file(check: Check, place: CheckContext) -> CheckResult:
    wanted, least, most = check.main_option, check.options["min_count"], check.options["max_count"]
    found = filter_paths(place.files.list_paths(), (wanted,))
    if check.options["is"] == "absent":
        return make_result(f"{list_some(found)} exists" if found else "", f"no {wanted}")
    said = f"{len(found)} files match {wanted}"
    if len(found) < least:
        return make_failed(f"{said}, expected at least {least}")
    if most is not None and len(found) > most:
        return make_failed(f"{said}, expected at most {most}")
    wrong = (_describe_contents(check, path, place) for path in found)
    return make_result(next(filter(None, wrong), ""), said)


def _describe_contents(check: Check, path: str, place: CheckContext) -> str:
    """Return what is wrong with the contents of a file; they are read only if they matter."""
    digest, pattern = check.options["sha256"], check.options["contains"]
    if not digest and not pattern:
        return ""
    data = require_file(place, path, "is not a plain file")
    if digest and sha256(data).hexdigest() != digest:
        return f"{path} has another SHA-256"
    return _describe_lack(path, data, pattern)


def _describe_lack(path: str, data: bytes, pattern: str) -> str:
    is_there = re.search(pattern, data.decode(errors="replace"), re.MULTILINE)
    return "" if is_there else f"{path} does not contain {pattern}"


def check_expected_paths(check: Check, place: CheckContext) -> CheckResult:
    paths = place.files.list_paths()
    missing = [wanted for wanted in check.main_option if not filter_paths(paths, (wanted,))]
    if missing:
        return make_failed(f"missing: {', '.join(missing)}")
    least = check.options["min_file_count"]
    counted = (
        filter_paths(paths, check.main_option) if check.main_option else list(place.work.changed)
    )
    few = f"{len(counted)} files, expected at least {least}" if len(counted) < least else ""
    return make_result(few, f"{len(counted)} files are there")


def check_forbidden_paths(check: Check, place: CheckContext) -> CheckResult:
    touched = filter_paths(place.work.changed, check.main_option)
    return make_result(f"changed: {list_some(touched)}" if touched else "", "none was changed")


def check_must_contain(check: Check, place: CheckContext) -> CheckResult:
    lacks = (
        _describe_lack(wanted["path"], require_file(place, wanted["path"]), wanted["pattern"])
        for wanted in check.main_option
    )
    return make_result(next(filter(None, lacks), ""), "every pattern is there")


def check_bash_syntax_check(check: Check, place: CheckContext) -> CheckResult:
    """Check scripts with bash, which only parses them and needs no checkout."""
    found = filter_paths(place.files.list_paths(), check.main_option)
    if not found:
        return make_failed(f"no script matches {', '.join(check.main_option)}")
    for path in found:
        ended = _parse_script(require_file(place, path, "is not a plain file"))
        ran = ended.require_exit()
        if ran.code != 0:
            said = cut_text(ran.err.text.replace(ended.argv[-1], path).strip(), 200)
            return make_failed(said or f"bash -n {path} exits {ran.code}", ended)
    return make_passed(f"bash can parse {len(found)} scripts")


def _parse_script(script: bytes) -> ProgramRun:
    with tempfile.NamedTemporaryFile(prefix="goalkeeper-", suffix=".sh") as file:
        file.write(script)
        file.flush()
        argv = ("bash", "-n", file.name)
        env = {"PATH": os.environ.get("PATH", os.defpath)}
        return ProgramRun(argv, run(argv, cwd="/", env=env, limits=ProgramLimits(seconds=30)))


def check_capture(check: Check, place: CheckContext) -> CheckResult:
    data = place.files.read_file(check.main_option)
    if data is None:
        return make_failed(f"there is no file {check.main_option}")
    unfit = JUDGES[check.kind](data, "")
    return make_result(f"{unfit.code}: {unfit.message}" if unfit else "", "it shows something")


check_screenshot = check_pty = check_automation = check_capture
