"""Rules about assertions that say less than they did."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import Family, Rule

WEAKENED = (
    Rule(
        "assertion-removed",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A test has fewer assertions than in the base.",
        why="The assertion that fails is the one that gets removed.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import name, rate


 def test_rate_of_ten():
     assert name(10) == "ten"
-    assert rate(10) == 3
""",
        mend="Put the assertion back. Moving it into a helper is fine.",
    ),
    Rule(
        "assertion-weakened",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="An assertion accepts more than it did.",
        why="Truthy, defined and raised-anything are true of most wrong answers.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
-    assert rate(10) == 3
+    assert rate(10) is not None
""",
        mend="Compare with the exact value again.",
    ),
    Rule(
        "assertion-tautology",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="An assertion cannot fail any more.",
        why="`assert True` and `x == x` hold whatever the code does.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
-    assert rate(10) == 3
+    assert rate(10) == 3 or True
""",
        mend="Assert something about the code.",
    ),
    Rule(
        "assertion-swallowed",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="The failure of an assertion is caught.",
        why="A caught failure does not fail the test.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
-    assert rate(10) == 3
+    try:
+        assert rate(10) == 3
+    except AssertionError:
+        pass
""",
        mend="Remove the try.",
    ),
    Rule(
        "assertion-conditional",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="An assertion runs only on a condition now.",
        why="If the condition does not hold, the test passes and has asserted nothing.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
     result = rate(10)
-    assert result == 3
+    if result:
+        assert result == 3
""",
        mend="Assert without the condition, or in both branches.",
    ),
    Rule(
        "assertion-rewritten",
        Family.WEAKENED,
        Level.ADVISORY,
        summary="An assertion is there in another form that we do not recognise.",
        why="It may say the same, or not; a reader can tell.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
-from rate import rate
+from rate import rated


 def test_rate_of_ten():
-    assert rate(10) == 3
+    assert rated(10).value == 3
""",
        mend="Nothing, if it says the same.",
    ),
    Rule(
        "expectation-changed",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A test expects another value, or another input is tried.",
        why="A wrong result becomes right when the test expects it.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
-    assert rate(10) == 3
+    assert rate(10) == 4
""",
        mend="If the requirement changed, let the contract name the file under may_change.",
    ),
    Rule(
        "tolerance-widened",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A comparison of numbers is less exact than it was.",
        why="With enough tolerance every number is near enough.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 import pytest
 from rate import rate


 def test_rate_of_ten():
-    assert rate(10) == pytest.approx(3.3, abs=0.01)
+    assert rate(10) == pytest.approx(3.3, abs=5)
""",
        mend="Put the old tolerance back.",
    ),
    Rule(
        "pattern-loosened",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A text is matched against less than it was.",
        why="`.*` matches every message.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 import pytest
 from rate import rate


 def test_rate_of_nothing():
-    with pytest.raises(ValueError, match="must not be negative"):
+    with pytest.raises(ValueError, match=".*"):
         rate(-1)
""",
        mend="Match the old pattern again.",
    ),
    Rule(
        "cases-dropped",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A parametrized test lost cases.",
        why="The case that fails is the one that gets dropped.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 import pytest
 from rate import rate


-@pytest.mark.parametrize(("given", "expected"), [(0, 0), (10, 3)])
+@pytest.mark.parametrize(("given", "expected"), [(0, 0)])
 def test_rate(given, expected):
     assert rate(given) == expected
""",
        mend="Put the cases back.",
    ),
    Rule(
        "golden-regenerated",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A recorded result that tests compare with was replaced.",
        why="Recording the present output makes any output right.",
        example="""\
--- a/tests/golden/report.txt
+++ b/tests/golden/report.txt
-total: 12
+total: 0
""",
        mend="If the output should change, let the contract name the file under may_change.",
    ),
    Rule(
        "test-data-changed",
        Family.WEAKENED,
        Level.ADVISORY,
        summary="Data that tests read was changed or removed.",
        why="Other input can make a test pass as well as other code.",
        example="""\
--- a/tests/data/rows.csv
+++ b/tests/data/rows.csv
 id,amount
-1,twelve
+1,12
""",
        mend="Add data beside it instead of changing it.",
    ),
    Rule(
        "subject-mocked",
        Family.WEAKENED,
        Level.BLOCKING,
        summary="A test replaces the very code it is about.",
        why="It then tests the replacement.",
        example="""\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 import rate


-def test_rate_of_ten():
+def test_rate_of_ten(monkeypatch):
+    monkeypatch.setattr(rate, "rate", lambda n: 3)
     assert rate.rate(10) == 3
""",
        mend="Replace only what the code under test depends on.",
    ),
    Rule(
        "test-asserts-nothing",
        Family.WEAKENED,
        Level.ADVISORY,
        summary="A new test cannot fail by an assertion.",
        why="It can still fail by an error, but that is little evidence.",
        example="""\
--- /dev/null
+++ b/tests/test_rate.py
+from rate import rate
+
+
+def test_rate_of_ten():
+    rate(10)
""",
        mend="Assert what the code should give.",
    ),
)
