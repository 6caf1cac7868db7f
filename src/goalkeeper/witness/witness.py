"""The witness, as use cases call it: snapshot, examine, prove, audit."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

from goalkeeper.app.trials import Examination, Trial
from goalkeeper.config import Settings
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import Judged, Judgement, bound_findings
from goalkeeper.core.contract.protected import is_partly
from goalkeeper.core.plan.model import Base
from goalkeeper.core.review.words import Artifact, Proved, Shelf
from goalkeeper.errors import UsageError
from goalkeeper.git.drivers import TrustDrivers, trust_no_driver
from goalkeeper.git.folders import SUBMODULE
from goalkeeper.git.laying import lay_files
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import TreeFiles
from goalkeeper.system.environment import find_homes, lies_in_any
from goalkeeper.system.redaction import Redactor
from goalkeeper.system.threads import SideThread
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import digest
from goalkeeper.witness import audit, tools
from goalkeeper.witness.across.pair import describe_unasked
from goalkeeper.witness.cache import PassCache, Passes, SeenGuards
from goalkeeper.witness.check_context import CheckResult, WorkFacts
from goalkeeper.witness.checks import moments
from goalkeeper.witness.evidence import EvidenceStore, clean_document
from goalkeeper.witness.folders import WitnessFolders, name_disk_errors
from goalkeeper.witness.inner_judges import find_inner_judges
from goalkeeper.witness.isolation import (
    TRUST_HINT,
    Isolation,
    choose_isolation,
    explain_no_sandbox,
    measure_strength,
)
from goalkeeper.witness.known_tests import read_known_tests, read_opened
from goalkeeper.witness.own_files import OwnFiles
from goalkeeper.witness.proofs import Proofs
from goalkeeper.witness.prove import Prover
from goalkeeper.witness.scheduler import CheckJob, CheckScheduler, UnisolatedScheduler
from goalkeeper.witness.setup import say_nothing
from goalkeeper.witness.setup_laying import lay_setup
from goalkeeper.witness.setup_trees import choose_setup
from goalkeeper.witness.setups import find_setup_problem
from goalkeeper.witness.terms import CheckTerms
from goalkeeper.witness.variants import BaseChanged, TreeVariants, UnguardedVariants
from goalkeeper.witness.workspace import WorkspaceContext

CONFIG = f"{layout.STATE_DIR}/{layout.CONFIG}"


class GitWitness:
    def __init__(
        self,
        places: WitnessFolders,
        environ: Mapping[str, str],
        *,
        redactor: Redactor,
        evidence: EvidenceStore,
        held_out: EvidenceStore,
        now: Callable[[], float],
        read_settings: Callable[[bytes, str], Settings],
        is_trusted: TrustDrivers = trust_no_driver,
        tell: Callable[[str], None] = say_nothing,
    ) -> None:
        self._tell = tell
        self.folders = places
        self.trees = places.open_trees(is_trusted)
        self._environ = dict(environ)
        self._evidence = evidence
        self._held_out = held_out
        self._now = now
        self._read_settings = read_settings
        self._redactor = redactor
        self._settings: dict[str, Settings] = {}  # the settings by base tree
        self._seen_guards: dict[str, Judged] = {}

    @name_disk_errors
    def take_snapshot(self) -> Base:
        return self.trees.take_snapshot()

    @name_disk_errors
    def is_still(self, tree: str) -> bool:
        return self.trees.is_still(tree)

    @name_disk_errors
    def is_committed(self, base: Base) -> bool:
        return bool(base.commit) and self.trees.find_tree(base.commit) == base.tree

    @name_disk_errors
    def find_roots(self, commit: str) -> tuple[str, ...]:
        return self.trees.find_roots(commit) if commit else ()

    def resolve_revision(self, revision: str) -> Base:
        return self.trees.resolve_revision(revision)

    def settings_of(self, base: Base) -> Settings:
        if base.tree not in self._settings:
            data = self.open_tree(base.tree).read_file(CONFIG)
            found = Settings() if data is None else self._read_settings(data, CONFIG)
            self._settings[base.tree] = found
        return self._settings[base.tree]

    @name_disk_errors
    def try_setup(self, trial: Trial) -> str:
        return find_setup_problem(self.trees, self._choose_terms(trial, trial.base.tree))

    @name_disk_errors
    def lay_setup(self, trial: Trial, place: str) -> tuple[str, ...]:
        return lay_setup(self.trees, self._choose_terms(trial, trial.base.tree), place)

    @name_disk_errors
    def examine_base(self, trial: Trial) -> Examination:
        if self._choose_isolation(trial) is Isolation.NONE:  # a base has no working tree
            trial = trial.replace(isolation=Isolation.CHECKOUT.value)
        parts = map(self._judge_base, trial.part_from_guards())
        judged = {each.id: each for part in parts for each in part}
        known = tuple((each.id, each.evidence) for each in judged.values())
        trial = trial.replace(base_evidence=known)
        variants = self._make_variants(trial, trial.base)
        inner = find_inner_judges(self.open_tree(variants.base), trial, self._evidence)
        self.trees.keep_tree(f"base/{trial.base.tree}", trial.base.tree)
        with suppress(GitFailed):  # a receipt needs them later, and the search can take long
            self.find_roots(trial.base.commit)
        return Examination(
            tuple(judged[criterion.id] for criterion in trial.contract.criteria),
            variants.base_protected,
            variants.protected_digest,
            self._choose_isolation(trial),
            self._list_tools(trial),
            (*variants.notes, *inner),
        )

    def _judge_base(self, trial: Trial) -> tuple[Judged, ...]:
        base = trial.base.replace(tree=self._lay_tests(trial))
        variants = self._make_variants(trial, base)
        # What else the contract demands does not change what a guard does on a base.
        cache = self._make_cache(trial, variants, "").replace(change=base.tree)
        guards = SeenGuards(self._seen_guards, cache)
        prover = self._make_prover(trial, variants, guards, base).replace(is_base=True)
        judged = prover.judge_criteria()
        guards.store_passes(trial.contract.criteria, judged)
        return judged

    @name_disk_errors
    def prove_candidate(self, trial: Trial, candidate: Base) -> Judgement:
        variants = self._make_variants(trial, candidate)
        seen = variants.protected_digest
        # These contents of the base decide: what is protected, and what the work changed.
        deciding = map(variants.base_entries.get, (*variants.base_protected, *variants.differing))
        ids = [blob.id for blob in deciding if blob and blob.mode != SUBMODULE]
        if trial.protected not in {"", seen} or self.trees.has_forged(ids):
            raise BaseChanged(tree=trial.base.tree)
        cache = self._make_cache(trial, variants, seen)
        prover = self._make_prover(trial, variants, cache, candidate).replace(is_probed=True)
        read = partial(audit.audit_change, place=prover.context, variants=variants)
        reading = SideThread(partial(read, trial, known=cache.read_findings))
        try:
            criteria = prover.judge_criteria()
            decided = partial(read, trial.replace(keeps_tests=True))
            weighed = prover.weigh_findings(reading.wait_for_result(), decided)
            found = (*weighed, *prover.list_findings())
        finally:
            reading.join()
        moved = tools.find_moved_tools(self._list_tools(trial), trial)
        findings = audit.finish_findings((*found, *moved), trial, variants, self._redactor)
        # A pass from the cache has no findings, so nothing is stored if some were found that count.
        if all(finding.level is Level.ADVISORY for finding in found):
            cache.store_passes(trial.contract.criteria, criteria)
        return Judgement(
            candidate.tree,
            candidate.commit,
            trial.contract.digest,
            self._choose_isolation(trial),
            criteria,
            bound_findings(findings),
            uncached=not any(judged.cached for judged in criteria),
            conditions=self._list_conditions(trial, candidate.tree),
            guarded=variants.guarded if variants.guarded != candidate.tree else "",
        )

    def _list_tools(self, trial: Trial) -> tuple[str, ...]:
        path = self._make_terms(trial, Isolation.CHECKOUT, trial.base.tree).path
        checks = [criterion.check for criterion in trial.contract.criteria]
        return tools.list_tools(checks, path, self._choose_isolation(trial))

    @name_disk_errors
    def check_artifacts(
        self, trial: Trial, candidate: Base, artifacts: Sequence[Artifact], shelf: Shelf
    ) -> tuple[Proved, ...]:
        from goalkeeper.witness.artifacts import check_artifacts  # noqa: PLC0415  slow

        def run_criteria(criteria: Mapping[str, Criterion]) -> dict[str, CheckResult]:
            asked = trial.replace(contract=trial.contract.replace(criteria=(*criteria.values(),)))
            variants = self._make_variants(trial, candidate)
            work = self._make_work_facts(trial, variants, candidate)
            level = max(self._choose_isolation(trial), Isolation.CHECKOUT, key=measure_strength)
            if shelf.is_independent and level is Isolation.SANDBOX:
                work = work.replace(tools=trial.settings.verify)
            hall = self._make_scheduler(asked, variants, level, work)
            seen = hall.run_jobs([CheckJob(name, candidate.tree) for name in criteria])
            return {job.id: saw for job, saw in seen.items()}

        return check_artifacts(artifacts, shelf.folder or self.folders.worktree, run_criteria)

    def read_kept(self, digest: str) -> Mapping[str, Any] | None:
        return self._evidence.get(digest)

    def has_proof(self, digest: str, tree: str) -> bool:
        kept = self._evidence.get(digest) or self._held_out.get(digest) or {}
        return kept.get("verdict") == Verdict.PASSED and tree in {"", kept.get("tree")}

    @name_disk_errors
    def find_affected(self, evidence: Mapping[str, str], candidate: Base) -> frozenset[str]:
        proofs = Proofs(self.trees, candidate.tree)
        kept = {n: self._evidence.get(e) or self._held_out.get(e) for n, e in evidence.items()}
        return frozenset(name for name, seen in kept.items() if proofs.is_affected(seen))

    @name_disk_errors
    def audit_change(self, trial: Trial, candidate: Base) -> tuple[Finding, ...]:
        variants = self._make_variants(trial, candidate)
        work = self._make_work_facts(trial, variants, candidate)
        context = WorkspaceContext(None, variants.files, work)
        found = audit.audit_change(trial, context, variants)
        return audit.finish_findings(found, trial, variants, self._redactor)

    def lay_files(self, tree: str, files: Mapping[str, str | None]) -> str:
        return lay_files(self.trees, tree, files)

    def list_protected(self, trial: Trial) -> tuple[str, ...]:
        found = self._make_variants(trial, trial.base).base_protected
        return tuple(p for p in found if not is_partly(p) and not trial.contract.may_bring(p))

    def list_changed(self, old: str, new: str) -> tuple[str, ...] | None:
        try:
            changes = self.trees.list_changes(old, new)
        except GitFailed:
            return None
        return tuple(sorted({p for c in changes for p in (c.path, c.old_path) if p}))

    def show_difference(self, old: str, new: str) -> str:
        try:
            return self._redactor.clean_text(self.trees.show_difference(old, new))
        except GitFailed:
            return ""

    def open_tree(self, tree: str) -> TreeFiles:
        return self.trees.open_tree(tree)

    def count_mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        return self.trees.count_mentions(tree, query, without=without)

    def list_commits(self, base: Base, candidate: Base) -> tuple[str, ...]:
        return tuple(commit.id for commit in self.trees.list_commits(base.commit, candidate.commit))

    @name_disk_errors
    def judge_criteria(self, trial: Trial, candidate: Base) -> tuple[Judged, ...]:
        variants = self._make_variants(trial, candidate)
        return self._make_prover(trial, variants, None, candidate).judge_criteria()

    def keep_document(self, document: Mapping[str, object]) -> str:
        return self._evidence.put(clean_document(document, self._redactor))

    def _make_variants(self, trial: Trial, candidate: Base) -> TreeVariants:
        kind = (
            UnguardedVariants if self._choose_isolation(trial) is Isolation.NONE else TreeVariants
        )
        witness = trial.settings.witness
        commands = (*witness.fetch, *witness.setup, *trial.settings.left_commands)
        base, opened = self._lay_tests(trial), read_opened(trial, self._evidence)
        return kind(self.trees, trial.contract, base, candidate.tree, commands, opened=opened)

    def _lay_tests(self, trial: Trial) -> str:
        """Return the tree of the base with the tests that the contract brings."""
        return self.lay_files(trial.base.tree, trial.contract.tests)

    def _make_prover(
        self, trial: Trial, variants: TreeVariants, cache: Passes | None, candidate: Base
    ) -> Prover:
        isolation = self._choose_isolation(trial)
        work = self._make_work_facts(trial, variants, candidate)
        is_apart = isolation is not Isolation.NONE
        apart = self._make_scheduler(trial, variants, isolation, work) if is_apart else None
        return Prover(
            trial=trial,
            variants=variants,
            work=work,
            scheduler=apart or self._make_unisolated(trial, variants, work),
            evidence=self._evidence,
            held_out=self._held_out,
            redactor=self._redactor,
            isolation=isolation,
            conditions=self._list_conditions(trial, candidate.tree),
            known=read_known_tests(trial, self._evidence, self._redactor),
            cache=cache,
            own_files=OwnFiles(self.trees, apart) if apart else None,
        )

    def _make_scheduler(
        self, trial: Trial, variants: TreeVariants, isolation: Isolation, work: WorkFacts
    ) -> CheckScheduler:
        # No check may read the folders of held-out files. The home is empty for checks anyway.
        named = (path for criterion in trial.contract.criteria for path in criterion.held_out)
        found = {os.path.dirname(os.path.realpath(os.path.expanduser(path))) for path in named}
        homes = find_homes(self._environ)
        exams = tuple(
            sorted(place for place in found if not any(lies_in_any(h, [place]) for h in homes))
        )
        return CheckScheduler(
            self.trees,
            {c.id: c for c in trial.contract.criteria},
            lambda tree: self._make_terms(trial, isolation, tree).replace(exams=exams),
            self.open_tree,
            work,
            frozenset(variants.named_protected),
            trial.final,
            base=variants.base,
        )

    def _make_unisolated(
        self, trial: Trial, variants: TreeVariants, work: WorkFacts
    ) -> UnisolatedScheduler:
        if not self.is_still(variants.candidate):
            problem = "isolation none looks at the working tree only"
            raise UsageError(problem=problem, hint="goalkeeper judge --isolation checkout")
        terms = self._make_terms(trial, Isolation.NONE, variants.candidate)
        return UnisolatedScheduler(
            self.folders.worktree,
            variants.candidate,
            {c.id: c for c in trial.contract.criteria},
            self._environ,
            terms.limits,
            variants.files,
            work,
        )

    def _choose_isolation(self, trial: Trial) -> Isolation:
        demanded, told = trial.demanded_isolation, trial.settings
        hint = TRUST_HINT if told.left_out and not trial.isolation else ""
        return choose_isolation(Isolation(demanded) if demanded else None, self._environ, hint)

    def _list_conditions(self, trial: Trial, tree: str) -> tuple[str, ...]:
        reason = "" if trial.demanded_isolation else explain_no_sandbox(self._environ)
        found = self._choose_terms(trial, tree).list_conditions(reason)
        return (*found, *describe_unasked(trial.contract.criteria))

    def _choose_terms(self, trial: Trial, tree: str) -> CheckTerms:
        return self._make_terms(trial, self._choose_isolation(trial), tree)

    def _make_terms(self, trial: Trial, isolation: Isolation, tree: str) -> CheckTerms:
        setup = choose_setup(self.trees, trial, tree, self._environ)
        return CheckTerms(
            isolation,
            setup.limits,
            self._environ | tools.find_frozen_path(trial),
            trial.settings.witness.env,
            (*self.folders.hidden, *self._worktrees),
            setup.replace(tell=self._tell),
        )

    @cached_property
    def _worktrees(self) -> list[str]:
        return self.trees.list_worktrees()

    def _make_cache(self, trial: Trial, variants: TreeVariants, protected: str) -> PassCache:
        entries = variants.candidate_entries
        now = {path: entries.get(path) for path in variants.changed_protected}
        return PassCache(
            os.path.join(self.folders.cache, "passes"),
            trial.cached and not trial.final,
            digest(
                [trial.base.tree, variants.candidate, trial.contract.digest, trial.takes_changed]
            ),
            trial.iteration,
            self._choose_terms(trial, variants.candidate),
            entries,
            digest([trial.base.tree, protected, now]),
        )

    def _make_work_facts(self, trial: Trial, variants: TreeVariants, candidate: Base) -> WorkFacts:
        return WorkFacts(
            tuple(variants.differing),
            lambda: self.is_committed(candidate),
            partial(self.trees.list_commits, trial.base.commit, candidate.commit),
            lambda reference: moments.find_moment(reference, self.folders.worktree, self.trees),
            trial.completed,
            lambda pattern: moments.list_mtimes(pattern, self.folders.worktree),
            self._now(),
            (*trial.settings.replays, *trial.settings.verify),
        )
