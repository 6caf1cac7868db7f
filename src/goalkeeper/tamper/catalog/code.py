"""Rules about product code that only pleases the tests."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import Family, Rule

CODE = (
    Rule(
        "test-env-branch",
        Family.CODE,
        Level.BLOCKING,
        summary="Product code asks whether it is being tested.",
        why="Then it can behave well only there. Asking for CI and the like is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import os
+
+
 def rate(n):
+    if "PYTEST_CURRENT_TEST" in os.environ:
+        return 3
     return n // 4
""",
        mend="Do the same in and out of tests; pass what differs as an argument.",
    ),
    Rule(
        "test-env-named",
        Family.CODE,
        Level.ADVISORY,
        summary="Product code names a variable that only test runners set.",
        why="Tools for testing do so honestly; other code hardly ever.",
        example="""\
--- a/rate.py
+++ b/rate.py
+MARKS = ["PYTEST_CURRENT_TEST"]
+
+
 def rate(n):
     return n // 3
""",
        mend="Nothing, if the product is about running tests.",
    ),
    Rule(
        "answer-table",
        Family.CODE,
        Level.BLOCKING,
        summary="The code knows the tests' inputs and gives their expected results.",
        why="It passes those tests and nothing else. A table of plain words is advisory.",
        example="""\
--- a/span.py
+++ b/span.py
 def seconds(text):
+    if text == "2h 30m":
+        return 9000
     return int(text)
--- a/tests/test_span.py
+++ b/tests/test_span.py
 from span import seconds


 def test_hours_and_minutes():
     assert seconds("2h 30m") == 9000
""",
        mend="Compute the result.",
    ),
    Rule(
        "tests-read",
        Family.CODE,
        Level.BLOCKING,
        summary="Product code names a file of the tests.",
        why="It can look up what the tests expect. In scripts and tools it is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
 def rate(n):
-    return n // 3
+    return int(open("tests/golden/rate.txt").read())
--- a/tests/golden/rate.txt
+++ b/tests/golden/rate.txt
 3
""",
        mend="Compute the result; keep the product's data with the product.",
    ),
    Rule(
        "always-equal",
        Family.CODE,
        Level.BLOCKING,
        summary="Objects of a class equal everything.",
        why="Every comparison with such an object holds.",
        example="""\
--- a/rate.py
+++ b/rate.py
+class Rate(int):
+    def __eq__(self, other):
+        return True
+
+
 def rate(n):
-    return n // 3
+    return Rate(n)
""",
        mend="Compare what the object holds.",
    ),
    Rule(
        "call-count-branch",
        Family.CODE,
        Level.BLOCKING,
        summary="A function answers by how often it was called.",
        why="It can give each test in turn what it wants.",
        example="""\
--- a/rate.py
+++ b/rate.py
+calls = 0
+
+
 def rate(n):
-    return n // 3
+    global calls
+    calls += 1
+    if calls == 1:
+        return 3
+    return 0
""",
        mend="Compute the result from the arguments.",
    ),
    Rule(
        "host-or-date-branch",
        Family.CODE,
        Level.BLOCKING,
        summary="The code compares the machine, the user or the day with a constant.",
        why="It can behave well only here and now.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import socket
+
+
 def rate(n):
+    if socket.gethostname() == "runner-1":
+        return 3
     return n // 4
""",
        mend="Make it a setting.",
    ),
    Rule(
        "stub-returned",
        Family.CODE,
        Level.BLOCKING,
        summary="A function that computed its result returns a constant now.",
        why="A constant passes a test and serves nobody. Where no test calls it, it is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
 def rate(n):
-    return n // 4
+    return 3
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 from rate import rate


 def test_rate_of_ten():
     assert rate(10) == 3
""",
        mend="Compute the result.",
    ),
    Rule(
        "exception-swallowed",
        Family.CODE,
        Level.BLOCKING,
        summary="Every error is caught and an answer is given instead.",
        why="The code looks right where it broke. Returning nothing is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
 def rate(n):
-    return n // 3
+    try:
+        return n // unknown
+    except Exception:
+        return 42
""",
        mend="Catch what you can name; log it or raise it again.",
    ),
    Rule(
        "feature-off",
        Family.CODE,
        Level.ADVISORY,
        summary="Code is switched off by a constant.",
        why="It looks as if it were there.",
        example="""\
--- a/rate.py
+++ b/rate.py
 def rate(n):
-    if n < 0:
+    if False:
         raise ValueError(n)
     return n // 3
""",
        mend="Remove the code, or switch it on.",
    ),
)
