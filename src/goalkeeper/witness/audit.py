"""What reading a change finds: manifest, scope, tampering. No test is run for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.globs import matches
from goalkeeper.core.contract.protected import Role, is_test, role
from goalkeeper.tamper.review import review
from goalkeeper.wire import layout
from goalkeeper.witness.check_context import Place
from goalkeeper.witness.checks.table import carried_out
from goalkeeper.witness.evidence import sound

Reading = Callable[[], tuple[Finding, ...]]
Known = Callable[[Reading], tuple[Finding, ...]]


def audit(
    contract: Contract,
    place: Place,
    changes: tuple[FileChange, ...],
    protected: Mapping[str, str],
    known: Known,
) -> tuple[Finding, ...]:
    """`protected` maps changed paths to why they are; `known` can answer instead of a reading."""
    ours = f"{layout.STATE_DIR}/"
    # The file of ignored names means nothing, and where a file of ours is deleted base's counts.
    changes = tuple(
        change
        for change in changes
        if change.path != ours + layout.IGNORE
        and not (change.path.startswith(ours) and change.new is None)
    )

    def read_tampering() -> tuple[Finding, ...]:
        tests = [path for path in place.files.paths() if is_test(path)] if changes else []
        return review(allowed(changes, contract), tree=place.files.read, tests=tests)

    found = (*manifest(contract, place), *scope(contract, changes), *known(read_tampering))
    found = (*found, *left_out(protected, changes, {finding.path for finding in found}))
    return tuple(f.replace(path=sound(f.path), message=sound(f.message)) for f in found)


def read_anew(read: Reading) -> tuple[Finding, ...]:
    return read()


def left_out(
    protected: Mapping[str, str], changes: tuple[FileChange, ...], reported: set[str]
) -> tuple[Finding, ...]:
    """Return protected files whose change has no effect, and that no other rule reports."""
    changed = {change.path for change in changes}
    return tuple(
        Finding("protected-edited", Level.ADVISORY, path, 0,
                f"it decides what checks say ({why}); base's was used instead")
        for path, why in sorted(protected.items())
        if path in changed and path not in reported and role(path) in {None, Role.HARNESS, Role.CI}
    )  # fmt: skip


def allowed(changes: tuple[FileChange, ...], contract: Contract) -> tuple[FileChange, ...]:
    """Return the changes, marked where the contract permits them."""
    free = contract.may_change
    return tuple(
        change.replace(may_change=True)
        if matches(change.path, free) or matches(change.old_path, free)
        else change
        for change in changes
    )


def manifest(contract: Contract, place: Place) -> tuple[Finding, ...]:
    found = [(check, carried_out(check, place)) for check in contract.manifest]
    return tuple(
        Finding(f"manifest-{check.kind.replace('_', '-')}", Level.BLOCKING,
                check.main[0] if check.kind.endswith("paths") and len(check.main) == 1 else "", 0,
                f"{seen.verdict}: {seen.reason}")
        for check, seen in found
        if seen.verdict is not Verdict.PASSED
    )  # fmt: skip


def scope(contract: Contract, changes: tuple[FileChange, ...]) -> tuple[Finding, ...]:
    """Return findings for paths outside of the scope: also both ends of renames, and deletions."""
    wrong: dict[str, tuple[str, str]] = {}
    for path in sorted({p for change in changes for p in (change.path, change.old_path) if p}):
        if matches(path, contract.never):
            wrong[path] = "scope-never", "the contract says never to touch it"
        elif contract.touch and not matches(path, (*contract.touch, *contract.may_change)):
            wrong[path] = "scope-touch", "it lies outside the contract's scope"
    return tuple(Finding(rule, Level.BLOCKING, p, 0, why) for p, (rule, why) in wrong.items())
