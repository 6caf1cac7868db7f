"""Rules about what runs the tests: hooks, settings, commands, CI."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import Family, Rule

HARNESS = (
    Rule(
        "collection-hook",
        Family.HARNESS,
        Level.BLOCKING,
        summary="A hook decides which tests are collected.",
        why="It can drop or skip the tests that fail. One that only looks is advisory.",
        example="""\
--- a/tests/conftest.py
+++ b/tests/conftest.py
 import pytest
+
+
+def pytest_collection_modifyitems(items):
+    items[:] = [item for item in items if "ten" not in item.name]
""",
        mend="Remove the hook.",
    ),
    Rule(
        "collect-ignored",
        Family.HARNESS,
        Level.BLOCKING,
        summary="A list of files that the runner must not collect was added or changed.",
        why="Ignored tests cannot fail.",
        example="""\
--- a/tests/conftest.py
+++ b/tests/conftest.py
 import pytest
+
+collect_ignore = ["test_rate.py"]
""",
        mend="Remove the entry.",
    ),
    Rule(
        "runner-options-narrowed",
        Family.HARNESS,
        Level.BLOCKING,
        summary="The runner's settings make it run fewer tests.",
        why="Tests that are not selected cannot fail.",
        example="""\
--- a/pytest.ini
+++ b/pytest.ini
 [pytest]
-addopts = -q
+addopts = -q --ignore=tests/test_rate.py
""",
        mend="Put the old settings back.",
    ),
    Rule(
        "runner-config-changed",
        Family.HARNESS,
        Level.ADVISORY,
        summary="The runner's settings were changed.",
        why="They decide what a green run means.",
        example="""\
--- a/pytest.ini
+++ b/pytest.ini
 [pytest]
-filterwarnings = error
+filterwarnings = ignore
""",
        mend="Nothing, if the change belongs to the goal.",
    ),
    Rule(
        "command-neutered",
        Family.HARNESS,
        Level.BLOCKING,
        summary="A command that checks can no longer fail, or checks less.",
        why="`|| true` makes every result a success.",
        example="""\
--- a/Makefile
+++ b/Makefile
 test:
-\tpytest -q
+\tpytest -q || true
""",
        mend="Put the old command back.",
    ),
    Rule(
        "command-changed",
        Family.HARNESS,
        Level.ADVISORY,
        summary="A command that checks was changed.",
        why="It decides what a green run means.",
        example="""\
--- a/Makefile
+++ b/Makefile
 test:
-\tpytest -q
+\tpython -m pytest -q
""",
        mend="Nothing, if it checks the same.",
    ),
    Rule(
        "threshold-lowered",
        Family.HARNESS,
        Level.BLOCKING,
        summary="A threshold of coverage was lowered or removed.",
        why="A lower bar is easier to clear.",
        example="""\
--- a/pyproject.toml
+++ b/pyproject.toml
 [tool.coverage.report]
-fail_under = 90
+fail_under = 40
""",
        mend="Put the old threshold back and cover the code.",
    ),
    Rule(
        "lint-relaxed",
        Family.HARNESS,
        Level.ADVISORY,
        summary="The settings of a linter or type checker were changed.",
        why="A rule that is off finds nothing.",
        example="""\
--- a/pyproject.toml
+++ b/pyproject.toml
 [tool.ruff.lint]
-ignore = []
+ignore = ["F821"]
""",
        mend="Mend the code instead, where that is possible.",
    ),
    Rule(
        "check-silenced",
        Family.HARNESS,
        Level.ADVISORY,
        summary="A comment silences a linter, a type checker or coverage.",
        why="Most are honest; a reader can tell.",
        example="""\
--- a/rate.py
+++ b/rate.py
 def rate(n):
-    return n // 3
+    return n // unknown  # noqa: F821
""",
        mend="Mend the code, or give the reason beside the comment.",
    ),
    Rule(
        "ci-failure-ignored",
        Family.HARNESS,
        Level.BLOCKING,
        summary="A job of CI may fail, is switched off, or runs fewer tests.",
        why="A job that cannot fail checks nothing.",
        example="""\
--- a/.github/workflows/ci.yml
+++ b/.github/workflows/ci.yml
 jobs:
   test:
     steps:
       - run: pytest
+        continue-on-error: true
""",
        mend="Remove it.",
    ),
    Rule(
        "ci-step-removed",
        Family.HARNESS,
        Level.BLOCKING,
        summary="CI no longer runs a check that it ran.",
        why="What does not run cannot fail.",
        example="""\
--- a/.github/workflows/ci.yml
+++ b/.github/workflows/ci.yml
 jobs:
   test:
     steps:
       - run: make build
-      - run: pytest
""",
        mend="Put the step back.",
    ),
)
