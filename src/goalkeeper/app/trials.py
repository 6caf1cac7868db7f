"""What the use cases ask of the witness. It is apart from `ports`: most commands ask it nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from goalkeeper.config import Settings
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding, FindingAnswer
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.review.words import Artifact, Proved, Shelf


class SettledAnswer(Value):
    """What settled a criterion that no program settles, and on which tree."""

    tree: str
    reason: str
    document: str = ""  # the digest of the answers; if it is empty, a human looked


class Trial(Value):
    """What a proof is asked for: a contract, where work on it began, and what is known."""

    contract: Contract
    base: Base
    settings: Settings  # the settings of the base tree
    protected: str = ""  # the protected files of base must have this digest, if it is given
    base_evidence: tuple[tuple[str, str], ...] = ()  # each criterion with a digest
    tools: tuple[str, ...] = ()  # the programs when the contract was frozen: "make /usr/bin/make"
    passed_before: frozenset[str] = frozenset()
    failed_before: Mapping[str, int] = {}  # how often each did not pass on the very same tree
    suspected: frozenset[str] = frozenset()  # rules that judgements of this goal found something by
    silenced: frozenset[str] = frozenset()  # held-out criteria that are not to be run
    iteration: int = 1
    completed: Mapping[str, str] = {}  # it maps a goal id to the moment
    answers: Mapping[str, SettledAnswer] = {}  # the answers by criterion
    finding_answers: tuple[FindingAnswer, ...] = ()  # why findings may stand, and who says so
    isolation: str = ""  # this one is demanded; if it is empty, the configured one
    cached: bool = True  # stored passes may answer
    final: bool = False  # nothing that was stored is trusted, neither passes nor checkouts
    brings_tests: bool = False  # what is judged are criteria of others, beside such a contract
    keeps_tests: bool = False  # the base's tests were not the author's of the contract to change

    @property
    def demanded_isolation(self) -> str:
        return self.isolation or self.settings.witness.isolation

    @property
    def takes_changed(self) -> bool:
        """Return whether tests of the base may be changed, if they fail without the work."""
        return (self.brings_tests or self.contract.brings_tests) and not self.keeps_tests

    def part_from_guards(self) -> tuple[Trial, ...]:
        """Part the trial in two if its contract brings tests.

        They are red on the base, and a guard may run all the tests there are.
        """
        contract = self.contract
        if not contract.tests:
            return (self,)
        guards = tuple(criterion for criterion in contract.criteria if criterion.guard)
        others = tuple(criterion for criterion in contract.criteria if not criterion.guard)
        return (
            self.replace(contract=contract.replace(criteria=others)),
            self.replace(contract=contract.replace(criteria=guards, tests={})),
        )


class Examination(Value):
    """A contract on its base: each criterion as it was seen, and what is protected."""

    criteria: tuple[Judged, ...]
    protected: Mapping[str, str]  # it maps a path to the reason
    digest: str  # the digest of the protected files
    isolation: str
    tools: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Files(Protocol):
    """The files of a tree, by path."""

    def list_paths(self) -> Sequence[str]: ...
    def read_file(self, path: str) -> bytes | None:
        """Return None when there is no such file, or it is a link or a submodule."""


class WitnessPort(Protocol):
    def take_snapshot(self) -> Base:
        """Store the working tree as it is now."""

    def is_still(self, tree: str) -> bool:
        """Return whether the working tree is that tree now."""

    def is_committed(self, base: Base) -> bool:
        """Return whether its tree is the tree of its commit."""

    def find_roots(self, commit: str) -> tuple[str, ...]:
        """Find the first commits behind a commit."""

    def resolve_revision(self, revision: str) -> Base:
        """Find a commit or tree that somebody names."""

    def settings_of(self, base: Base) -> Settings:
        """Read the settings as the base tree has them."""

    def examine_base(self, trial: Trial) -> Examination: ...

    def lay_setup(self, trial: Trial, place: str) -> tuple[str, ...]:
        """Lay what set-up made for the base into a worktree; return the folders."""

    def prove_candidate(self, trial: Trial, candidate: Base) -> Judgement: ...

    def check_artifacts(
        self, trial: Trial, candidate: Base, artifacts: Sequence[Artifact], shelf: Shelf
    ) -> tuple[Proved, ...]:
        """Say what artifacts show. An independent lane may replay any tool in a sandbox."""

    def read_kept(self, digest: str) -> Mapping[str, Any] | None: ...

    def has_proof(self, digest: str, tree: str) -> bool:
        """Return whether evidence is kept that a criterion passed on a tree, if one is named."""

    def find_affected(self, evidence: Mapping[str, str], candidate: Base) -> frozenset[str]:
        """Find names whose evidence may come out differently on the candidate."""

    def audit_change(self, trial: Trial, candidate: Base) -> tuple[Finding, ...]: ...

    def list_protected(self, trial: Trial) -> tuple[str, ...]:
        """List paths of the base that no change may replace."""

    def list_changed(self, old: str, new: str) -> tuple[str, ...] | None:
        """List paths that differ between two trees; None when one is no longer known."""

    def show_difference(self, old: str, new: str) -> str:
        """Show how files differ between two trees; empty when one is no longer known."""

    def open_tree(self, tree: str) -> Files: ...

    def count_mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        """Count the files of the tree, without some, that contain a text in any case."""

    def list_commits(self, base: Base, candidate: Base) -> tuple[str, ...]:
        """List the commits that the candidate has and the base has not."""

    def judge_criteria(self, trial: Trial, candidate: Base) -> tuple[Judged, ...]:
        """Judge the criteria of the trial on the candidate; cache nothing, and audit nothing."""

    def lay_files(self, tree: str, files: Mapping[str, str | None]) -> str:
        """Return the tree with these texts in the place of files; None removes a file."""

    def keep_document(self, document: Mapping[str, object]) -> str:
        """Keep a document among the evidence, without secrets; return its digest."""
