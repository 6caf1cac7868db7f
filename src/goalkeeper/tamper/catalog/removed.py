"""Rules about tests that are gone, and tests that do not run."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import Family, Rule

REMOVED = (
    Rule(
        "test-removed",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test of the base is gone.",
        why="A test that is not there cannot fail.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_zero():
     assert rate(0) == 0
-
-
-def test_rate_of_ten():
-    assert rate(10) == 3
""",
        mend="Put the test back, or let the contract name the file under may_change.",
    ),
    Rule(
        "test-file-removed",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test file of the base is gone with its tests.",
        why="Tests that are not there cannot fail.",
        example="""\
--- a/tests/test_rate.py
+++ /dev/null
-from rate import rate
-
-
-def test_rate_of_ten():
-    assert rate(10) == 3
""",
        mend="Put the file back, or let the contract name it under may_change.",
    ),
    Rule(
        "test-removed-with-code",
        Family.REMOVED,
        Level.ADVISORY,
        summary="A test went together with the code it was about.",
        why="Dead code may go with its tests; a reviewer should see that it was dead.",
        example="""\
--- a/rate.py
+++ b/rate.py
 def rate(n):
     return n // 3
-
-
-def legacy_rate(n):
-    return n // 4
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
     assert rate(10) == 3
-
-
-def test_legacy_rate():
-    assert legacy_rate(8) == 2
""",
        mend="Nothing, if the goal was to remove that code.",
    ),
    Rule(
        "test-emptied",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test lost all its assertions.",
        why="Without an assertion a test passes whatever the code does.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
-    assert rate(10) == 3
+    pass
""",
        mend="Put the assertions back.",
    ),
    Rule(
        "test-uncollected",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test is still there, but the runner no longer collects it.",
        why="Another name, another folder or a mark can hide a test from the runner.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


-def test_rate_of_ten():
+def check_rate_of_ten():
     assert rate(10) == 3
""",
        mend="Give the test a name and a place that the runner collects.",
    ),
    Rule(
        "test-commented-out",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test is only a comment now.",
        why="A comment does not run.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


-def test_rate_of_ten():
-    assert rate(10) == 3
+# def test_rate_of_ten():
+#     assert rate(10) == 3
""",
        mend="Make it code again.",
    ),
    Rule(
        "test-early-return",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test returns before its assertions.",
        why="What stands behind a return does not run.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
+    return
     assert rate(10) == 3
""",
        mend="Remove the return.",
    ),
    Rule(
        "test-unparsable",
        Family.REMOVED,
        Level.BLOCKING,
        summary="A test file can no longer be parsed.",
        why="Some runners pass over what they cannot read.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


-def test_rate_of_ten():
+def test_rate_of_ten(:
     assert rate(10) == 3
""",
        mend="Mend the syntax.",
    ),
)

SKIPPED = (
    Rule(
        "skip-added",
        Family.SKIPPED,
        Level.BLOCKING,
        summary="A test of the base is skipped now.",
        why="A skipped test proves nothing, and many reports count it as fine.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
+import pytest
 from rate import rate


+@pytest.mark.skip(reason="flaky")
 def test_rate_of_ten():
     assert rate(10) == 3
""",
        mend="Remove the skip and make the test pass.",
    ),
    Rule(
        "xfail-added",
        Family.SKIPPED,
        Level.BLOCKING,
        summary="A test of the base is expected to fail now.",
        why="An expected failure is a failure that nobody is told about.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
+import pytest
 from rate import rate


+@pytest.mark.xfail
 def test_rate_of_ten():
     assert rate(10) == 3
""",
        mend="Remove the mark and make the test pass.",
    ),
    Rule(
        "focus-added",
        Family.SKIPPED,
        Level.BLOCKING,
        summary="One test is singled out, so the others do not run.",
        why="With `.only` a whole file is green as soon as one test is.",
        example="""\
--- a/test/rate.test.js
+++ b/test/rate.test.js
 const { rate } = require("../rate");

-it("rates ten", () => {
+it.only("rates ten", () => {
   expect(rate(10)).toBe(3);
 });
 it("rates zero", () => {
   expect(rate(0)).toBe(0);
 });
""",
        mend="Remove the focus.",
    ),
    Rule(
        "fixture-skips",
        Family.SKIPPED,
        Level.BLOCKING,
        summary="A fixture that every test gets skips them.",
        why="One fixture with autouse can switch off a whole folder.",
        example="""\
--- a/tests/conftest.py
+++ b/tests/conftest.py
 import pytest
+
+
+@pytest.fixture(autouse=True)
+def _prepared():
+    pytest.skip("not today")
""",
        mend="Let only the tests that need it ask for the fixture.",
    ),
    Rule(
        "new-test-skipped",
        Family.SKIPPED,
        Level.ADVISORY,
        summary="A new test is skipped or expected to fail.",
        why="It is no evidence for the work it came with.",
        example="""\
--- /dev/null
+++ b/tests/test_rate.py
+import pytest
+from rate import rate
+
+
+@pytest.mark.skip
+def test_rate_of_ten():
+    assert rate(10) == 3
""",
        mend="Let it run, or say in the contract why it cannot.",
    ),
)
