"""The rows of a quality gate refer to each other, to the contract and to artifacts."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.problems import REASON_LETTERS, REASON_WORDS, is_reasoned
from goalkeeper.core.review import words
from goalkeeper.core.review.words import NOT_APPLICABLE, About, Artifact, Remarks, Row

_TABLES = ("artifactRefs", "surfaceEvidence", "adversarialCases", "contractCoverage")
_WAYS = {words.REPLAY: ("path", "replay", "replayExempt"), words.RECEIPT: ("receipt",)}


class Matrix:
    def __init__(self, row: Row, at: str, about: About, notes: Remarks) -> None:
        self._about = about
        self._notes = notes
        self._at = at
        self._given = {name: row[name] for name in _TABLES}
        self._known = {name: self._by_id(name) for name in _TABLES}

    def _by_id(self, name: str) -> dict[str, Row]:
        known: dict[str, Row] = {}
        for number, row in enumerate(self._given[name]):
            if row["id"] in known and row["id"]:
                at = f"{self._at}.{name}[{number}].id"
                said = f"'{row['id']}' is taken by another row"
                self._remark(at, "duplicate-id", said, "give every row an id of its own")
            known.setdefault(row["id"], row)
        return known

    def check_rows(self) -> None:
        checks = {
            "surfaceEvidence": self._check_surface,
            "adversarialCases": self._check_case,
            "contractCoverage": self._check_coverage,
            "artifactRefs": self._check_artifact,
        }
        for name, check in checks.items():
            for at, row in self._iterate_rows(name):
                check(at, row)
        self._check_whole()

    def _iterate_rows(self, name: str) -> Iterator[tuple[str, Row]]:
        for number, row in enumerate(self._given[name]):
            yield f"{self._at}.{name}[{number}]", row

    def _remark(self, at: str, code: str, message: str, mend: str) -> None:
        self._notes.add_remark(at, code, message, mend)

    def _remark_missing(self, at: str, said: str) -> None:
        self._remark(at, "missing", said, words.MENDS["missing"])

    def _is_left_out(self, at: str, row: Row) -> bool:
        """Return whether the row says that it does not apply; then it needs only a reason."""
        if row["status"] != NOT_APPLICABLE:
            return False
        if not row["reason"]:
            said = "a row that does not apply says why"
            self._remark(f"{at}.reason", "no-reason", said, "add a reason, or cover it")
        for name in ("verdict", "result"):
            if row.get(name) and row[name] != NOT_APPLICABLE:
                said = f"it does not apply, and yet its {name} is {row[name]}"
                self._remark(f"{at}.{name}", "row-not-passed", said, words.SETTLE)
        return True

    def _check_outcome(self, at: str, row: Row) -> None:
        """Check that every word about how it ended is a good one."""
        told = [(name, row[name]) for name in ("status", "verdict", "result") if row.get(name)]
        if not told:
            self._remark_missing(f"{at}.verdict", "verdict is missing")
        for name, word in told:
            if word in {"failed", "todo", NOT_APPLICABLE}:
                said = f"{name} is {word}, and only {', '.join(words.DONE)} count"
                self._remark(f"{at}.{name}", "row-not-passed", said, words.SETTLE)

    def _contract_ref(self, at: str, row: Row) -> None:
        known = (*self._about.criteria, self._about.goal_id)
        if row["contractRef"] and row["contractRef"] not in known:
            said = f"'{row['contractRef']}' is no part of this contract: {', '.join(known)}"
            mend = "name the criterion it is about, or the goal for all of them"
            self._remark(f"{at}.contractRef", "unknown-contract-ref", said, mend)

    def _resolve_refs(self, at: str, row: Row, field: str, table: str) -> list[Row]:
        found = []
        for number, name in enumerate(row[field]):
            if name in self._known[table]:
                found.append(self._known[table][name])
                continue
            said = f"there is no row '{name}' in {table}"
            self._remark(f"{at}.{field}[{number}]", "unknown-ref", said, f"add it to {table}")
        return found

    def _check_surface(self, at: str, row: Row) -> None:
        if self._is_left_out(at, row):
            return
        self._contract_ref(at, row)
        self._check_outcome(at, row)
        if not row["invocation"]:
            self._remark_missing(f"{at}.invocation", "invocation is missing")
        kinds = [(ref["id"], ref["kind"]) for ref in self._artifacts_of(at, row)]
        for group in words.PROVED_BY.get(row["surface"], ()):
            if not any(kind in group for _, kind in kinds):
                given = ", ".join(f"{name}={kind}" for name, kind in kinds) or "none"
                said = f"{row['surface']} is proved by {' or '.join(group)}; given: {given}"
                live = row["surface"] not in words.QUIET
                said += "; text and receipts do not prove live surfaces" if live else ""
                mend = "add such an artifact"
                self._remark(f"{at}.artifactRefs", "surface-not-proved", said, mend)

    def _artifacts_of(self, at: str, row: Row) -> list[Row]:
        if not row["artifactRefs"]:
            self._remark_missing(f"{at}.artifactRefs", "it names no artifact")
        return self._resolve_refs(at, row, "artifactRefs", "artifactRefs")

    def _check_case(self, at: str, row: Row) -> None:
        if row["status"] == NOT_APPLICABLE:
            said = "an adversarial case cannot be left out"
            self._remark(f"{at}.status", "adversarial-left-out", said, "try it, and say what came")
            return
        self._contract_ref(at, row)
        self._check_outcome(at, row)
        shown = self._artifacts_of(at, row)
        if shown and all(ref["kind"] == words.RECEIPT for ref in shown):
            said = "that a criterion passes is no attempt to break it"
            self._remark(f"{at}.artifactRefs", "case-not-shown", said, "add what the attempt left")

    def _check_coverage(self, at: str, row: Row) -> None:
        if self._is_left_out(at, row):
            if row["contractRef"] in self._about.criteria:
                said = f"{row['contractRef']} is a criterion of {self._about.goal_id}; it applies"
                self._remark(at, "criterion-left-out", said, "cover it with evidence")
            return
        self._contract_ref(at, row)
        if row["status"] in {"failed", "todo"}:
            self._remark(f"{at}.status", "row-not-passed", f"it is {row['status']}", words.SETTLE)
        if not row["obligation"]:
            hint = " (description is not read in its place)" if row["description"] else ""
            self._remark(f"{at}.obligation", "missing", f"obligation is missing{hint}", "add it")
        linked = [
            *self._find_linked(at, row, "surfaceEvidenceRefs", "surfaceEvidence"),
            *self._find_linked(at, row, "adversarialCaseRefs", "adversarialCases"),
            *self._resolve_refs(at, row, "artifactRefs", "artifactRefs"),
        ]
        if not linked:
            said = "nothing that it refers to shows it"
            self._remark(at, "not-covered", said, "refer to surfaceEvidence, cases or artifacts")

    def _find_linked(self, at: str, row: Row, field: str, table: str) -> list[Row]:
        """Return the rows that are about the same, and that apply."""
        good = []
        for other in self._resolve_refs(at, row, field, table):
            if other["contractRef"] not in {row["contractRef"], self._about.goal_id}:
                said = f"{other['id']} is about {other['contractRef']}, not {row['contractRef']}"
                mend = "refer to rows about it"
                self._remark(f"{at}.{field}", "contract-ref-differs", said, mend)
            elif other["status"] != NOT_APPLICABLE:
                good.append(other)
        return good

    def _check_artifact(self, at: str, row: Row) -> None:
        ways = ("path", "replay", "replayExempt", "receipt")
        given = [name for name in ways if row[name]]
        wanted = _WAYS.get(row["kind"], ("path",))
        if len(given) != 1 or given[0] not in wanted:
            said = f"{row['kind']} is given by {' or '.join(wanted)}; here: {', '.join(given)}"
            said += "nothing" if not given else ""
            code = "inline-only" if not given and row["inlineEvidence"] else "artifact-ways"
            self._remark(at, code, said, "give it in exactly one way")
        if row["replayExempt"]:
            self._check_exemption(f"{at}.replayExempt", row["id"], row["replayExempt"])
        if row["receipt"]:
            self._check_receipt(f"{at}.receipt.id", row["receipt"])

    def _check_receipt(self, at: str, row: Row) -> None:
        """Check that it is ours: of a criterion that the witness judges, or one we signed."""
        about = self._about
        known = about.criteria if row["type"] == words.OF_CRITERION else about.receipts
        if row["id"] not in known:
            said = f"'{row['id']}' is none that goalkeeper gave: {', '.join(known) or 'none yet'}"
            self._remark(at, "unknown-receipt", said, "name a criterion of the contract")

    def _check_exemption(self, at: str, own: str, row: Row) -> None:
        reason = row["reason"]
        if not is_reasoned(reason):
            said = f"it takes {REASON_WORDS} words and {REASON_LETTERS} letters to say why"
            self._remark(f"{at}.reason", "exempt-unreasoned", said, "say what would happen")
        for number, name in enumerate(row["fallbackArtifactRefs"]):
            other = self._known["artifactRefs"].get(name)
            if other is None or name == own or other["kind"] not in words.FALLBACKS:
                said = f"'{name}' is none of {', '.join(words.FALLBACKS)}"
                where = f"{at}.fallbackArtifactRefs[{number}]"
                mend = "refer to an artifact that shows it live"
                self._remark(where, "exempt-fallback", said, mend)

    def _check_whole(self) -> None:
        """Check that all of the contract is covered, and some surface was seen at work."""
        coverage = [r for r in self._given["contractCoverage"] if r["status"] != NOT_APPLICABLE]
        covered = {row["contractRef"] for row in coverage}
        at = f"{self._at}.contractCoverage"
        if self._given["contractCoverage"] and not coverage:
            self._remark(at, "nothing-covered", "every row is left out", "cover the criteria")
        left = [name for name in self._about.criteria if name not in covered]
        if left and self._about.goal_id not in covered:
            said = f"nothing covers {', '.join(left)}"
            self._remark(at, "criterion-uncovered", said, "add a row for each")
        seen = [r for r in self._given["surfaceEvidence"] if r["status"] != NOT_APPLICABLE]
        if self._given["surfaceEvidence"] and not seen:
            said = "every surface is left out"
            where = f"{self._at}.surfaceEvidence"
            self._remark(where, "nothing-covered", said, "show at least one surface at work")

    def _is_proof_of(self, ref: str, surface: str) -> bool:
        kind = self._known["artifactRefs"].get(ref, {}).get("kind")
        return any(kind in group for group in words.PROVED_BY.get(surface, ()))

    def list_artifacts(self) -> Iterator[Artifact]:
        surfaces = {
            ref: row["surface"]
            for row in self._given["surfaceEvidence"]
            for ref in row["artifactRefs"]
            if row["status"] != NOT_APPLICABLE and self._is_proof_of(ref, row["surface"])
        }
        refused = {each.path for each in self._notes.found}
        for at, row in self._iterate_rows("artifactRefs"):
            path = "" if f"{at}.path" in refused else row["path"]  # it is not looked at
            yield Artifact(
                at, row["id"], row["kind"], path, row["replay"], row["replayExempt"],
                surfaces.get(row["id"], ""),
            )  # fmt: skip
