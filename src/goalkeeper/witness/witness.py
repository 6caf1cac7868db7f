"""The witness, as use cases call it: snapshot, examine, prove, audit."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, wraps
from hashlib import sha256
from typing import Any, ParamSpec, TypeVar

from goalkeeper.app.trials import Examination, Trial
from goalkeeper.config import Settings
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import Judged, Judgement, bounded
from goalkeeper.core.contract.protected import is_partly
from goalkeeper.core.contract.test_cases import TestCase
from goalkeeper.core.plan.model import Base
from goalkeeper.core.review.words import Artifact, Proved
from goalkeeper.errors import DiskFailed, OutsideError, UsageError
from goalkeeper.git import search
from goalkeeper.git.commits import Commit
from goalkeeper.git.folders import SUBMODULE
from goalkeeper.git.repository import GitFailed
from goalkeeper.git.tree_files import TreeFiles
from goalkeeper.git.trees import Trees
from goalkeeper.system.environment import lies_in_any
from goalkeeper.system.run import Limits
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import digest
from goalkeeper.witness import audit, moments, tools
from goalkeeper.witness.artifacts import proved
from goalkeeper.witness.cache import Cache
from goalkeeper.witness.check_context import Seen, Work
from goalkeeper.witness.evidence import Store, cleaned
from goalkeeper.witness.isolation import Isolation, choose, strength
from goalkeeper.witness.prove import Means, Proof, Prover, cases_of
from goalkeeper.witness.redaction import Redactor
from goalkeeper.witness.scheduler import Hall, Job
from goalkeeper.witness.setup import Setup, lockfiles
from goalkeeper.witness.unisolated import Outdoors
from goalkeeper.witness.variants import Unguarded, Variants, protected_digest
from goalkeeper.witness.workspace import Spot, Terms

CONFIG = f"{layout.STATE_DIR}/{layout.CONFIG}"
P = ParamSpec("P")
T = TypeVar("T")


class BaseChanged(OutsideError):
    """The protected files of base tree {tree} are not what was frozen."""

    code = "base-changed"
    hint = "git fsck; the repository's objects were changed or lost"


def _at_work(method: Callable[P, T]) -> Callable[P, T]:
    """An error of the disk becomes an error with a name."""

    @wraps(method)
    def worked(*args: P.args, **named: P.kwargs) -> T:
        try:
            return method(*args, **named)
        except OSError as exc:
            place = exc.filename or "the witness's folders"
            reason = exc.strerror or str(exc)
            raise DiskFailed(action="work in", path=place, reason=reason) from exc

    return worked


class Places:
    """The folders in which the witness works, and the paths that it hides from checks."""

    def __init__(
        self, *, root: str, worktree: str, state: str, cache: str, hidden: tuple[str, ...]
    ) -> None:
        name = f"{os.path.basename(root) or 'root'}-{sha256(os.fsencode(root)).hexdigest()[:12]}"
        self.store = os.path.join(state, name)
        self.cache = os.path.join(cache, name)
        self.worktree = worktree
        self.hidden = hidden


class Witness:
    def __init__(
        self,
        places: Places,
        environ: Mapping[str, str],
        *,
        evidence: Store,
        held_out: Store,
        now: Callable[[], float],
        read_settings: Callable[[bytes, str], Settings],
    ) -> None:
        self._places = places
        self._environ = dict(environ)
        self._evidence = evidence
        self._held_out = held_out
        self._now = now
        self._read_settings = read_settings
        self._redactor = Redactor(environ)
        self._settings: dict[str, Settings] = {}  # by base tree

    @cached_property
    def trees(self) -> Trees:
        return Trees(self._places.worktree, self._places.store, self._places.cache)

    @_at_work
    def snapshot(self) -> Base:
        return self.trees.snapshot()

    @_at_work
    def is_still(self, tree: str) -> bool:
        return self.trees.is_still(tree)

    @_at_work
    def is_committed(self, base: Base) -> bool:
        return bool(base.commit) and self.trees.tree_of(base.commit) == base.tree

    @_at_work
    def roots(self, commit: str) -> tuple[str, ...]:
        return self.trees.roots(commit) if commit else ()

    def resolve(self, revision: str) -> Base:
        return self.trees.resolve(revision)

    def settings(self, base: Base) -> Settings:
        if base.tree not in self._settings:
            data = self.files(base.tree).read(CONFIG)
            found = Settings() if data is None else self._read_settings(data, CONFIG)
            self._settings[base.tree] = found
        return self._settings[base.tree]

    @_at_work
    def examine(self, trial: Trial) -> Examination:
        if self._isolation(trial) is Isolation.NONE:  # a base has no working tree
            trial = trial.replace(isolation=Isolation.CHECKOUT.value)
        variants = self._variants(trial, trial.base)
        protected = variants.base_protected
        proof, isolation = self._proof(trial, variants, None)
        self.trees.keep(f"base/{trial.base.tree}", trial.base.tree)
        with suppress(GitFailed):  # a receipt needs them later, and the search can take long
            self.roots(trial.base.commit)
        return Examination(
            proof.criteria,
            protected,
            protected_digest(protected, variants.base_entries),
            isolation,
            self._tools(trial),
            self._notes(variants),
        )

    @_at_work
    def prove(self, trial: Trial, candidate: Base) -> Judgement:
        variants = self._variants(trial, candidate)
        seen = protected_digest(variants.base_protected, variants.base_entries)
        # These contents of the base decide: what is protected, and what the work changed.
        entries = variants.base_entries
        deciding = [entries.get(path) for path in (*variants.base_protected, *variants.differing)]
        ids = [blob.id for blob in deciding if blob and blob.mode != SUBMODULE]
        if seen != trial.protected or self.trees.forged(ids):
            raise BaseChanged(tree=trial.base.tree)
        isolation = self._isolation(trial)
        cache = self._cache(trial, variants, isolation, seen)
        proof, _ = self._proof(trial, variants, cache, candidate)
        # A pass from the cache has no findings, so nothing is stored if there are findings.
        if not any(finding.level is Level.BLOCKING for finding in proof.findings):
            for criterion, judged in zip(trial.contract.criteria, proof.criteria, strict=True):
                cache.keep(criterion, judged)
        return Judgement(
            candidate.tree,
            candidate.commit,
            trial.contract.digest,
            isolation,
            proof.criteria,
            bounded((*proof.findings, *tools.moved(self._tools(trial), trial))),
            uncached=not any(judged.cached for judged in proof.criteria),
        )

    def _tools(self, trial: Trial) -> tuple[str, ...]:
        path = self._terms(trial, Isolation.CHECKOUT, trial.base.tree).path
        checks = [criterion.check for criterion in trial.contract.criteria]
        return tools.used(checks, path, self._isolation(trial))

    @_at_work
    def artifacts(
        self, trial: Trial, candidate: Base, artifacts: Sequence[Artifact], shelf: str
    ) -> tuple[Proved, ...]:
        def run(criteria: Mapping[str, Criterion]) -> dict[str, Seen]:
            asked = trial.replace(contract=trial.contract.replace(criteria=(*criteria.values(),)))
            variants = self._variants(trial, candidate)
            work = self._work(trial, variants, candidate)
            level = max(self._isolation(trial), Isolation.CHECKOUT, key=strength)
            hall = self._hall(asked, variants, level, work)
            seen = hall.run([Job(name, candidate.tree) for name in criteria])
            return {job.id: saw for job, saw in seen.items()}

        return proved(artifacts, shelf or self._places.worktree, run)

    def read_kept(self, digest: str) -> Mapping[str, Any] | None:
        return self._evidence.get(digest)

    @_at_work
    def audit(self, trial: Trial, candidate: Base) -> tuple[Finding, ...]:
        variants = self._variants(trial, candidate)
        changes = self.trees.changes(trial.base.tree, candidate.tree)
        files = TreeFiles(self.trees, variants.candidate_entries)
        spot = Spot(None, files, self._work(trial, variants, candidate))
        protected = variants.protected(variants.differing)
        return audit.audit(trial.contract, spot, changes, protected, audit.read_anew)

    def list_protected(self, trial: Trial) -> tuple[str, ...]:
        """Return paths of the base that no change may replace."""
        return tuple(
            p for p in self._variants(trial, trial.base).base_protected if not is_partly(p)
        )

    def list_changed(self, old: str, new: str) -> tuple[str, ...] | None:
        try:
            changes = self.trees.changes(old, new)
        except GitFailed:
            return None
        return tuple(sorted({p for c in changes for p in (c.path, c.old_path) if p}))

    def files(self, tree: str) -> TreeFiles:
        return TreeFiles(self.trees, self.trees.entries(tree))

    def mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        return search.mentions(self.trees, tree, query, without=without)

    def commits(self, base: Base, candidate: Base) -> tuple[str, ...]:
        return tuple(commit.id for commit in self.trees.commits(base.commit, candidate.commit))

    @_at_work
    def look(self, trial: Trial, candidate: Base) -> Judged:
        proof, _ = self._proof(trial, self._variants(trial, candidate), None, candidate)
        return proof.criteria[0]

    def keep(self, document: Mapping[str, object]) -> str:
        return self._evidence.put(cleaned(document, self._redactor))

    def _variants(self, trial: Trial, candidate: Base) -> Variants:
        kind = Unguarded if self._isolation(trial) is Isolation.NONE else Variants
        setup = trial.settings.witness.setup
        return kind(self.trees, trial.contract, trial.base.tree, candidate.tree, setup)

    def _proof(
        self,
        trial: Trial,
        variants: Variants,
        cache: Cache | None,
        candidate: Base | None = None,
    ) -> tuple[Proof, str]:
        isolation = self._isolation(trial)
        work = self._work(trial, variants, candidate or trial.base)
        hall = (
            self._outdoors(trial, variants, work)
            if isolation is Isolation.NONE
            else self._hall(trial, variants, isolation, work)
        )
        means = Means(
            self.trees,
            hall,
            self._evidence,
            self._held_out,
            self._redactor,
            isolation,
            trial.settings.judge.repeats,
            cache,
        )
        return Prover(means, trial, variants, work, self._known(trial)).prove(), isolation

    def _hall(self, trial: Trial, variants: Variants, isolation: Isolation, work: Work) -> Hall:
        # No check may read the folders of held-out files. The home is empty for checks anyway.
        named = (path for criterion in trial.contract.criteria for path in criterion.held_out)
        found = {os.path.dirname(os.path.realpath(os.path.expanduser(path))) for path in named}
        home = os.path.realpath(self._environ.get("HOME", "/"))
        exams = tuple(sorted(place for place in found if not lies_in_any(home, [place])))
        return Hall(
            self.trees,
            {c.id: c for c in trial.contract.criteria},
            lambda tree: self._terms(trial, isolation, tree).replace(exams=exams),
            self.files,
            work,
            frozenset(variants.base_protected),
            trial.final,
        )

    def _outdoors(self, trial: Trial, variants: Variants, work: Work) -> Outdoors:
        if not self.is_still(variants.candidate):
            problem = "isolation none looks at the working tree only"
            raise UsageError(problem=problem, hint="goalkeeper judge --isolation checkout")
        terms = self._terms(trial, Isolation.NONE, variants.candidate)
        return Outdoors(
            self._places.worktree,
            variants.candidate,
            {c.id: c for c in trial.contract.criteria},
            self._environ,
            terms.limits,
            TreeFiles(self.trees, variants.candidate_entries),
            work,
        )

    def _isolation(self, trial: Trial) -> Isolation:
        demanded = trial.isolation or trial.settings.witness.isolation
        return choose(Isolation(demanded) if demanded else None, self._environ)

    def _terms(self, trial: Trial, isolation: Isolation, tree: str) -> Terms:
        witness = trial.settings.witness
        limits = Limits(
            seconds=witness.timeout, memory_mb=witness.memory_mb, output_mb=witness.output_mb
        )
        locks = lockfiles(self.trees.entries(tree)) if witness.setup else {}
        return Terms(
            isolation,
            limits,
            self._environ | tools.path_then(trial),
            witness.env,
            (*self._places.hidden, *self._worktrees),
            Setup(witness.setup, limits, locks),
        )

    @cached_property
    def _worktrees(self) -> list[str]:
        return self.trees.worktrees()

    def _cache(
        self, trial: Trial, variants: Variants, isolation: Isolation, protected: str
    ) -> Cache:
        entries = variants.candidate_entries
        changed = variants.protected(variants.differing)
        now = {path: entries.get(path) for path in changed}
        return Cache(
            os.path.join(self._places.cache, "passes"),
            trial.cached and not trial.final,
            digest([trial.base.tree, variants.candidate, trial.contract.digest]),
            trial.iteration,
            self._terms(trial, isolation, variants.candidate),
            entries,
            digest([trial.base.tree, protected, now]),
        )

    def _known(self, trial: Trial) -> dict[str, tuple[TestCase, ...]]:
        """Return the tests of the base, from the evidence that was stored with the contract."""
        found = ((name, self._evidence.get(wanted)) for name, wanted in trial.base_evidence)
        return {name: cases_of(document) for name, document in found if document is not None}

    def _work(self, trial: Trial, variants: Variants, candidate: Base) -> Work:
        changed = variants.differing
        head = candidate.commit

        def commits(*paths: str) -> tuple[Commit, ...]:
            return self.trees.commits(trial.base.commit, head, *paths)

        return Work(
            trial.base,
            candidate,
            tuple(changed),
            lambda: self.is_committed(candidate),
            commits,
            lambda reference: moments.moment(reference, self._places.worktree, self.trees),
            trial.completed,
            lambda pattern: moments.mtimes(pattern, self._places.worktree),
            self._now(),
            (*trial.settings.replays, *trial.settings.verify),
        )

    def _notes(self, variants: Variants) -> tuple[str, ...]:
        entries = variants.base_entries
        modules = [path for path, blob in entries.items() if blob.mode == SUBMODULE]
        found = [f"submodule {path} is not in the checkout" for path in modules[:3]]
        attributes = TreeFiles(self.trees, entries).read(".gitattributes") or b""
        if b"filter=lfs" in attributes:
            found.append("files kept by git LFS are pointers in the checkout")
        return (*found, *variants.advice)
