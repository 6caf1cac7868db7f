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
    """Says what settled a criterion that no program settles, and on which tree."""

    tree: str
    reason: str
    document: str = ""  # digest of the answers among the evidence; empty: a human looked


class Trial(Value):
    """Says what a proof is asked for: a contract, where work on it began, and what is known."""

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
    """Holds a contract on its base: each criterion as it was seen, and what is protected."""

    criteria: tuple[Judged, ...]
    protected: Mapping[str, str]  # path to why
    digest: str  # of the protected files
    isolation: str
    tools: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Files(Protocol):
    """Gives the files of a tree, by path."""

    def list_paths(self) -> Sequence[str]: ...
    def read_file(self, path: str) -> bytes | None:
        """Returns None when there is no such file, or it is a link or a submodule."""


class WitnessPort(Protocol):
    def take_snapshot(self) -> Base:
        """Keeps the working tree as it is now."""

    def is_still(self, tree: str) -> bool:
        """Says whether the working tree is that tree now."""

    def is_committed(self, base: Base) -> bool:
        """Says whether its tree is that of its commit."""

    def find_roots(self, commit: str) -> tuple[str, ...]:
        """Finds the first commits behind a commit."""

    def resolve_revision(self, revision: str) -> Base:
        """Finds a commit or tree that somebody names."""

    def settings_of(self, base: Base) -> Settings:
        """Reads the settings as the base tree has them."""

    def examine_base(self, trial: Trial) -> Examination: ...

    def prove_candidate(self, trial: Trial, candidate: Base) -> Judgement: ...

    def check_artifacts(
        self, trial: Trial, candidate: Base, artifacts: Sequence[Artifact], shelf: str
    ) -> tuple[Proved, ...]:
        """Says what artifacts show; paths begin at `shelf`, else in the worktree."""

    def read_kept(self, digest: str) -> Mapping[str, Any] | None: ...

    def audit_change(self, trial: Trial, candidate: Base) -> tuple[Finding, ...]: ...

    def list_protected(self, trial: Trial) -> tuple[str, ...]:
        """Lists paths of the base that no change may replace."""

    def list_changed(self, old: str, new: str) -> tuple[str, ...] | None:
        """Lists paths that differ between two trees; None when one is no longer known."""

    def open_tree(self, tree: str) -> Files: ...

    def count_mentions(self, tree: str, query: str, *, without: Sequence[str]) -> int:
        """Counts the files of the tree, but for these, that contain a text in any case."""

    def list_commits(self, base: Base, candidate: Base) -> tuple[str, ...]:
        """Lists the commits that the candidate has and the base has not."""

    def judge_first(self, trial: Trial, candidate: Base) -> Judged:
        """Judges the only criterion of the trial's contract on the candidate; caches nothing."""

    def keep_document(self, document: Mapping[str, object]) -> str:
        """Keeps a document among the evidence, without secrets; returns its digest."""
