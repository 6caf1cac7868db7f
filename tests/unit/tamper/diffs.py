"""Small diffs of whole files as changes."""

import re
from collections.abc import Mapping, Sequence

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.tamper.review import review

_HEAD = re.compile(r"^(?:(?:old|new|new file) mode \d+\n)*--- ", re.MULTILINE)


# The base's tests and probes decide, so these are notes; that they are seen is still asserted.
NOTED = {
    "expectation-changed",
    *("tests-read", "outcome-hook", "process-exit", "exit-on-import", "exit-hook"),
    *("interpreter-hook", "module-shadowed", "fake-runner", "library-preloaded"),
    *("runner-patched", "runner-imported", "shell-early-exit", "shell-trap-success"),
}


class Diff:
    """Files in a diff that do not change are only there to be read."""

    def __init__(self, diff: str, *, may_change: bool = False) -> None:
        self.changes: list[FileChange] = []
        self.files: dict[str, bytes] = {}
        starts = [each.start() for each in _HEAD.finditer(diff)]
        for start, end in zip(starts, [*starts[1:], len(diff)], strict=True):
            self._add(diff[start:end], may_change)

    def _add(self, part: str, may_change: bool) -> None:
        modes: dict[str, str] = dict(
            re.findall(r"^(old|new)(?: file)? mode (\d+)$", part, re.MULTILINE)
        )
        head, _, body = part.partition("\n+++ ")
        old_path = head.rpartition("--- ")[2].removeprefix("a/")
        new_path, _, body = body.partition("\n")
        new_path = new_path.removeprefix("b/")
        lines = body.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if line[:1] in {" ", "-", ""})
        new = "".join(f"{line[1:]}\n" for line in lines if line[:1] in {" ", "+", ""})
        was, now = old_path != "/dev/null", new_path != "/dev/null"
        if now:
            self.files[new_path] = new.encode()
        if (old_path, old) == (new_path, new) and not modes:
            return
        self.changes.append(
            FileChange(
                new_path if now else old_path,
                old_path if was else "",
                old.encode() if was else None,
                new.encode() if now else None,
                modes.get("old", "100644"),
                modes.get("new", modes.get("old", "100644")),
                may_change,
            )
        )

    def findings(self) -> tuple[Finding, ...]:
        tests = [path for path in self.files if "test" in path]
        return review(self.changes, tree=self.files.get, tests=tests)


def findings(diff: str, *, may_change: bool = False) -> tuple[Finding, ...]:
    return Diff(diff, may_change=may_change).findings()


def blocking(diff: str, *, may_change: bool = False) -> set[str]:
    found = findings(diff, may_change=may_change)
    return {each.rule for each in found if _is_loss(each)}


def _is_loss(finding: Finding) -> bool:
    """Return whether it closes the gate, or is a note that tests look for."""
    return finding.level is not Level.ADVISORY or finding.rule in NOTED


def advisory(diff: str, *, may_change: bool = False) -> set[str]:
    found = findings(diff, may_change=may_change)
    return {each.rule for each in found if each.level is Level.ADVISORY}


def changed(path: str, old: str, new: str, *, may_change: bool = False) -> FileChange:
    return FileChange(path, path, old.encode(), new.encode(), may_change=may_change)


def added(path: str, new: str, *, mode: str = "100644") -> FileChange:
    return FileChange(path, "", None, new.encode(), new_mode=mode)


def judged(
    *changes: FileChange,
    beside: Mapping[str, str] | None = None,
    tests: Sequence[str] = (),
) -> tuple[set[str], set[str]]:
    """Rules that close the gate or are looked for, and advisory ones."""
    files = {path: text.encode() for path, text in (beside or {}).items()}
    files |= {change.path: change.new for change in changes if change.new is not None}
    found = review(changes, tree=files.get, tests=tests)
    return (
        {each.rule for each in found if _is_loss(each)},
        {each.rule for each in found if each.level is Level.ADVISORY},
    )
