"""What a reading of the change says: manifest, scope, tampering. Nothing of it runs a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.globs import matches
from goalkeeper.core.contract.protected import Role, is_test, role
from goalkeeper.wire import layout
from goalkeeper.witness.check_context import Place
from goalkeeper.witness.checks import carried_out
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
    """`protected` tells why, of the changed paths that are; `known`, what was read before."""
    changes = tuple(change for change in changes if not _means_nothing(change))
    tampering = known(lambda: _tampering(allowed(changes, contract), place))
    found = (*manifest(contract, place), *scope(contract, changes), *tampering)
    found = (*found, *left_out(protected, changes, {finding.path for finding in found}))
    return tuple(f.replace(path=sound(f.path), message=sound(f.message)) for f in found)


def read_anew(read: Reading) -> tuple[Finding, ...]:
    return read()


def _tampering(changes: tuple[FileChange, ...], place: Place) -> tuple[Finding, ...]:
    from goalkeeper.tamper.review import review  # noqa: PLC0415  dear; checks run meanwhile

    tests = [path for path in place.files.paths() if is_test(path)] if changes else []
    return review(changes, tree=place.files.read, tests=tests)


def _means_nothing(change: FileChange) -> bool:
    """Our own list of ignored files, and files of ours that are not there: base's count."""
    ours = f"{layout.STATE_DIR}/"
    gone = change.path.startswith(ours) and change.new is None
    return gone or change.path == ours + layout.IGNORE


def left_out(
    protected: Mapping[str, str], changes: tuple[FileChange, ...], told: set[str]
) -> tuple[Finding, ...]:
    """Protected files whose change had no say, where no other rule speaks of them."""
    changed = {change.path for change in changes}
    return tuple(
        Finding("protected-edited", Level.ADVISORY, path, 0,
                f"it decides what checks say ({why}); base's was used instead")
        for path, why in sorted(protected.items())
        if path in changed and path not in told and role(path) in {None, Role.HARNESS, Role.CI}
    )  # fmt: skip


def allowed(changes: tuple[FileChange, ...], contract: Contract) -> tuple[FileChange, ...]:
    """The changes, marked where the contract permits them."""
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
        Finding(f"manifest-{check.kind.replace('_', '-')}", Level.BLOCKING, _subject(check), 0,
                f"{seen.verdict}: {seen.reason}")
        for check, seen in found
        if seen.verdict is not Verdict.PASSED
    )  # fmt: skip


def _subject(check: Check) -> str:
    return check.main[0] if check.kind.endswith("paths") and len(check.main) == 1 else ""


def scope(contract: Contract, changes: tuple[FileChange, ...]) -> tuple[Finding, ...]:
    """The fence, over everything that changed: both ends of a rename, and deletions."""
    touched = sorted({p for change in changes for p in (change.path, change.old_path) if p})
    found = []
    for path in touched:
        if matches(path, contract.never):
            found.append(_outside("scope-never", path, "the contract says never to touch it"))
        elif contract.touch and not matches(path, (*contract.touch, *contract.may_change)):
            found.append(_outside("scope-touch", path, "it lies outside the contract's scope"))
    return tuple(found)


def _outside(rule: str, path: str, message: str) -> Finding:
    return Finding(rule, Level.BLOCKING, path, 0, message)
