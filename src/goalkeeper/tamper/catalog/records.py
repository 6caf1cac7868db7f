"""Rules about the contract, about evidence, and about what the tree hides."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import Family, Rule

RECORD = (
    Rule(
        "contract-edited",
        Family.RECORD,
        Level.BLOCKING,
        summary="The contract, or what we keep beside it, was changed.",
        why="Who is judged does not write the law.",
        example="""\
--- a/.goalkeeper/contract.yaml
+++ b/.goalkeeper/contract.yaml
 criteria:
   - id: C1
-    check: {pytest: tests/test_rate.py}
+    check: {command: ["true"]}
""",
        mend="Take the change back and ask for an amendment.",
    ),
    Rule(
        "evidence-committed",
        Family.RECORD,
        Level.BLOCKING,
        summary="A file that looks like evidence of a run was committed.",
        why="Evidence comes from the witness, not from the worker.",
        example="""\
--- /dev/null
+++ b/reports/junit.xml
+<testsuite tests="3" failures="0"/>
""",
        mend="Remove the file, or keep it with the test data.",
    ),
)

TREE = (
    Rule(
        "mode-changed",
        Family.TREE,
        Level.ADVISORY,
        summary="The mode of a file was changed.",
        why="A script that is not executable may be passed over.",
        example="""\
old mode 100755
new mode 100644
--- a/check.sh
+++ b/check.sh
 diff expected.txt actual.txt
""",
        mend="Nothing, if the goal asks for it.",
    ),
    Rule(
        "link-outside",
        Family.TREE,
        Level.BLOCKING,
        summary="A link points out of the tree.",
        why="What it points to is not part of what is judged.",
        example="""\
new file mode 120000
--- /dev/null
+++ b/tests/data
+../../elsewhere
""",
        mend="Commit the file itself.",
    ),
    Rule(
        "file-became-link",
        Family.TREE,
        Level.ADVISORY,
        summary="A file became a link to another one.",
        why="Its content is now that of the other.",
        example="""\
old mode 100644
new mode 120000
--- a/tests/rows.csv
+++ b/tests/rows.csv
-id,amount
+other.csv
""",
        mend="Nothing, if the goal asks for it.",
    ),
    Rule(
        "submodule-moved",
        Family.TREE,
        Level.ADVISORY,
        summary="A submodule points to another commit, or to another place.",
        why="Its content is not part of the diff.",
        example="""\
--- a/.gitmodules
+++ b/.gitmodules
 [submodule "lib"]
-url = https://example.org/lib
+url = https://example.org/other
""",
        mend="Look at what it points to.",
    ),
    Rule(
        "attributes-filter",
        Family.TREE,
        Level.BLOCKING,
        summary="Git is told to run files through a command.",
        why="What is checked out is then not what is committed.",
        example="""\
--- a/.gitattributes
+++ b/.gitattributes
 *.txt text
+*.py filter=rewrite
""",
        mend="Remove the attribute.",
    ),
    Rule(
        "attributes-hiding",
        Family.TREE,
        Level.ADVISORY,
        summary="Files are hidden from diffs, archives or reviews.",
        why="A reviewer does not see what changes in them.",
        example="""\
--- a/.gitattributes
+++ b/.gitattributes
 *.txt text
+src/** -diff
""",
        mend="Hide only what a program writes.",
    ),
    Rule(
        "tests-ignored",
        Family.TREE,
        Level.BLOCKING,
        summary="Git is told to ignore test files.",
        why="Tests that are not committed are not run by the witness.",
        example="""\
--- a/.gitignore
+++ b/.gitignore
 *.pyc
+test_*.py
""",
        mend="Ignore only what tests write.",
    ),
)

READING = (
    Rule(
        "file-too-large",
        Family.READING,
        Level.BLOCKING,
        summary="A file is too large to be read here.",
        why="What is in it was not looked at.",
        example="""\
--- /dev/null
+++ b/rates.py
+RATES = "…"
""",
        mend="Keep large data out of code.",
    ),
    Rule(
        "file-too-deep",
        Family.READING,
        Level.BLOCKING,
        summary="Code is nested too deeply to be read here.",
        why="What is in it was not looked at, and nobody writes such code by hand.",
        example="""\
--- /dev/null
+++ b/rate.py
+RATE = -(-(-(-(-(-(-(-1)))))))  # and so on, a thousand times
""",
        mend="Nest less deeply.",
    ),
    Rule(
        "file-unreadable",
        Family.READING,
        Level.ADVISORY,
        summary="A file cannot be parsed.",
        why="What is in it was not looked at.",
        example="""\
--- a/rate.py
+++ b/rate.py
-def rate(n):
+def rate(n:
     return n // 3
""",
        mend="Mend the syntax.",
    ),
)
