"""Judges that live in the product, for people to know before a contract is frozen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from goalkeeper.app.trials import Trial
from goalkeeper.core.contract.protected import is_test, role_of_path
from goalkeeper.git.trees import TreeFiles
from goalkeeper.tamper.judging import find_judging_functions
from goalkeeper.tamper.source import MOST_BYTES
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.witness.evidence import EvidenceStore
from goalkeeper.witness.known_tests import read_cases

_MOST_TESTS = 500  # of a larger suite not all files are read


def find_inner_judges(files: TreeFiles, trial: Trial, evidence: EvidenceStore) -> tuple[str, ...]:
    """Say which files of the product judge: those with doctests that ran, and with assertions."""
    # Workers must not learn what held-out checks run.
    shown = {criterion.id for criterion in trial.contract.criteria if not criterion.held_out}
    kept = [evidence.get(wanted) for name, wanted in trial.base_evidence if name in shown]
    ran = {case.id.partition("::")[0] for each in kept if each for case in read_cases(each)}
    paths = files.list_paths()
    examples = sorted(path for path in ran.intersection(paths) if not role_of_path(path))
    helpers: dict[tuple[str, str], list[str]] = {}
    for test in _read_tests(files, paths):
        for found in find_judging_functions(test, files.read_file):
            helpers.setdefault(found, []).append(test.path)
    return (
        *(f"{path} is product and judges: its doctests are run" for path in examples),
        *(
            f"{path} is product and judges: {by[0]} asserts with its {name}; "
            "if the goal need not change it, add it under scope.never"
            for (path, name), by in sorted(helpers.items())
        ),
    )


def _read_tests(files: TreeFiles, paths: Sequence[str]) -> Iterable[Source]:
    for path in [path for path in paths if is_test(path)][:_MOST_TESTS]:
        data = files.read_file(path)
        if data is not None and len(data) <= MOST_BYTES:
            yield Source(path, text_of(data))
