"""Reading a change finds problems of manifest, scope and tampering. No test is run for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from goalkeeper.app.trials import Trial
from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding, Level, let_stand
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import Role, is_test, role_of_path
from goalkeeper.system.redaction import Redactor
from goalkeeper.wire import layout
from goalkeeper.witness.check_context import CheckContext
from goalkeeper.witness.checks import run_check
from goalkeeper.witness.evidence import make_valid_text
from goalkeeper.witness.variants import TreeVariants

Reading = Callable[[], tuple[Finding, ...]]


def audit_change(
    trial: Trial,
    place: CheckContext,
    variants: TreeVariants,
    known: Callable[[Reading], tuple[Finding, ...]] = lambda read: read(),
) -> tuple[Finding, ...]:
    """Return what reading the change finds; `known` can answer instead of a reading."""
    contract = trial.contract
    ours = f"{layout.STATE_DIR}/"
    # The file of ignored names has no effect, and where a file of ours is deleted the base's
    # counts.
    changes = tuple(
        change
        for change in variants.changes
        if change.path != ours + layout.IGNORE
        and not (change.path.startswith(ours) and change.new is None)
    )

    def read_tampering() -> tuple[Finding, ...]:
        from goalkeeper.tamper.review import review  # noqa: PLC0415  slow, and often known

        paths = place.files.list_paths() if changes else []
        return review(
            mark_permitted(changes, contract),
            tree=place.files.read_file,
            tests=[path for path in paths if is_test(path)],
            product=[path for path in paths if not is_test(path)],
            base_decides=not trial.takes_changed,
        )

    found = (
        *check_manifest(contract, place),
        *check_scope(contract, changes),
        *known(read_tampering),
    )
    found = (
        *found,
        *find_ineffective(variants.changed_protected, changes, {finding.path for finding in found}),
    )
    return tuple(
        f.replace(path=make_valid_text(f.path), message=make_valid_text(f.message)) for f in found
    )


def find_ineffective(
    protected: Mapping[str, str], changes: tuple[FileChange, ...], reported: set[str]
) -> tuple[Finding, ...]:
    """Return protected files whose change has no effect and that no other rule reports."""
    changed = {change.path for change in changes}
    return tuple(
        Finding("protected-edited", Level.ADVISORY, path, 0,
                f"it decides what checks say ({why}); base's was used instead")
        for path, why in sorted(protected.items())
        if path in changed and path not in reported
        and role_of_path(path) in {None, Role.HARNESS, Role.CI}
    )  # fmt: skip


def mark_permitted(changes: tuple[FileChange, ...], contract: Contract) -> tuple[FileChange, ...]:
    """Return the changes, marked where the contract permits them."""
    free = contract.may_change
    return tuple(
        change.replace(may_change=True)
        if is_match(change.path, free) or is_match(change.old_path, free)
        else change
        for change in changes
    )


def check_manifest(contract: Contract, place: CheckContext) -> tuple[Finding, ...]:
    found = []
    for check in contract.manifest:
        seen = run_check(check, place)
        rule, said = f"manifest-{check.kind.replace('_', '-')}", f"{seen.verdict}: {seen.reason}"
        # A finding points to a path if the check is about one path alone.
        is_alone = check.kind.endswith("paths") and len(check.main_option) == 1
        path = str(check.main_option[0]) if is_alone else ""
        if seen.verdict is not Verdict.PASSED:
            found.append(Finding(rule, Level.BLOCKING, path, 0, said))
    return tuple(found)


def check_scope(contract: Contract, changes: tuple[FileChange, ...]) -> tuple[Finding, ...]:
    """Return findings for paths outside of the scope, also for renames and deletions."""
    wrong: dict[str, tuple[str, str]] = {}
    for path in sorted({p for change in changes for p in (change.path, change.old_path) if p}):
        if ban := contract.find_ban(path):
            wrong[path] = ban
    return tuple(Finding(rule, Level.BLOCKING, p, 0, why) for p, (rule, why) in wrong.items())


def finish_findings(
    found: Sequence[Finding], trial: Trial, variants: TreeVariants, redactor: Redactor
) -> tuple[Finding, ...]:
    """Return findings with all that is told of them, and with why some may stand."""
    told = clean_findings(describe_findings(found, variants), redactor)
    return let_stand(told, trial.finding_answers)


def describe_findings(findings: Sequence[Finding], variants: TreeVariants) -> tuple[Finding, ...]:
    """Return findings with the words of their rules, and with the bytes that each is about.

    Of a file that the change removes these are none. Of what no file of the base or the candidate
    is about, it is the candidate as a whole.
    """
    if not findings:
        return ()
    from goalkeeper.witness.rules import all_rules  # noqa: PLC0415  slow, and often nothing is found

    rules = all_rules()
    now, before = variants.candidate_entries, variants.base_entries

    def identify(path: str) -> str:
        blob = now.get(path)
        if blob:
            return f"{blob.mode} {blob.id}"
        return "gone" if path in before else f"tree {variants.candidate}"

    return tuple(
        finding.replace(
            why=rules[finding.rule].why, mend=rules[finding.rule].mend,
            content=identify(finding.path),
        )
        if finding.rule in rules
        else finding.replace(content=identify(finding.path))
        for finding in findings
    )  # fmt: skip


def clean_findings(findings: Sequence[Finding], redactor: Redactor) -> tuple[Finding, ...]:
    """Return findings without secrets: they may quote the change, or name its files."""
    return tuple(
        finding.replace(
            path=redactor.clean_text(finding.path), message=redactor.clean_text(finding.message)
        )
        for finding in findings
    )
