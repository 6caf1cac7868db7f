"""What the use cases ask of the witness. Apart from `ports`: most commands ask it nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from goalkeeper.config import Settings
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.review.words import Artifact, Proved


class SettledAnswer(Value):
    """What settled a criterion that no program settles, and on which tree."""

    tree: str
    reason: str
    document: str = ""  # digest of the answers among the evidence; empty: a human looked


class Trial(Value):
    """What a proof is asked for: a contract, where work on it began, and what is known."""

    contract: Contract
    base: Base
    settings: Settings  # as the base tree has them
    protected: str = ""  # the digest that the protected files of base must have
    base_evidence: tuple[tuple[str, str], ...] = ()  # each criterion, and a digest
    tools: tuple[str, ...] = ()  # programs when the contract was frozen: "make /usr/bin/make"
    passed_before: frozenset[str] = frozenset()
    silenced: frozenset[str] = frozenset()  # held-out criteria that are not to be run
    iteration: int = 1
    completed: Mapping[str, str] = {}  # goal id to when
    answers: Mapping[str, SettledAnswer] = {}  # by criterion
    isolation: str = ""  # demanded; empty: as configured
    cached: bool = True  # passes that were kept may answer
    final: bool = False  # trust nothing that was kept, neither passes nor checkouts


class Examination(Value):
    """A contract on its base: each criterion as the witness saw it, and what is protected."""

    criteria: tuple[Judged, ...]
    protected: Mapping[str, str]  # path to why
    digest: str  # of the protected files
    isolation: str
    tools: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Files(Protocol):
    """The files of a tree, by path."""

    def list_paths(self) -> Sequence[str]: ...
    def read_file(self, path: str) -> bytes | None:
        """None when there is no such file, or it is a link or a submodule."""


class WitnessPort(Protocol):
    def take_snapshot(self) -> Base:
        """The working tree as it is now."""

    def is_still(self, tree: str) -> bool:
        """Whether the working tree is that tree now."""

    def is_committed(self, base: Base) -> bool:
        """Whether its tree is that of its commit."""

    def find_roots(self, commit: str) -> tuple[str, ...]:
        """The first commits behind one; none behind none."""

    def resolve_revision(self, revision: str) -> Base:
        """A commit or tree that somebody names."""

    def settings_of(self, base: Base) -> Settings:
        """As the base tree has them."""

    def examine_base(self, trial: Trial) -> Examination: ...

    def prove_candidate(self, trial: Trial, candidate: Base) -> Judgement: ...

    def check_artifacts(
        self, trial: Trial, candidate: Base, artifacts: Sequence[Artifact], shelf: str
    ) -> tuple[Proved, ...]:
        """What artifacts of a quality gate show; paths begin at `shelf`, else in the worktree."""

    def read_kept(self, digest: str) -> Mapping[str, Any] | None: ...

    def audit_change(self, trial: Trial, candidate: Base) -> tuple[Finding, ...]: ...

    def list_protected(self, trial: Trial) -> tuple[str, ...]:
        """Paths of the base that no change may replace."""

    def list_changed(self, old: str, new: str) -> tuple[str, ...] | None:
        """Paths that differ between two trees; None when one of them is no longer known."""

    def open_tree(self, tree: str) -> Files: ...

    def count_mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        """How many files of the tree, but for these, contain a text, whatever its case."""

    def list_commits(self, base: Base, candidate: Base) -> tuple[str, ...]:
        """The ids of those that the candidate has and the base has not."""

    def judge_first(self, trial: Trial, candidate: Base) -> Judged:
        """The only criterion of the trial's contract, seen on the candidate; nothing is cached."""

    def keep_document(self, document: Mapping[str, object]) -> str:
        """A document among the evidence, without secrets; its digest."""
