"""Rules about code that acts on the process around it."""

from __future__ import annotations

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import Family, Rule

PROCESS = (
    Rule(
        "outcome-hook",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A hook can change what a test run says.",
        why="It can turn a failure into a pass after the fact. One that only looks is advisory.",
        example="""\
--- a/tests/conftest.py
+++ b/tests/conftest.py
 import pytest
+
+
+@pytest.hookimpl(hookwrapper=True)
+def pytest_runtest_makereport(item, call):
+    outcome = yield
+    outcome.get_result().outcome = "passed"
""",
        mend="Remove the hook.",
    ),
    Rule(
        "process-exit",
        Family.PROCESS,
        Level.BLOCKING,
        summary="The process is ended at once, or told to report success.",
        why="A runner that is ended cannot report what failed.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import os
+
+
 def rate(n):
+    os._exit(0)
     return n // 3
""",
        mend="Raise an error, or return.",
    ),
    Rule(
        "exit-on-import",
        Family.PROCESS,
        Level.BLOCKING,
        summary="Importing this file ends the process.",
        why="The runner imports it, and ends with success before any test.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import sys
+
+sys.exit(0)
+
+
 def rate(n):
     return n // 3
""",
        mend='Move it into a function, or below `if __name__ == "__main__"`.',
    ),
    Rule(
        "exit-hook",
        Family.PROCESS,
        Level.BLOCKING,
        summary="Something runs when the process ends, and sets how it ends.",
        why="It can turn a failed run into exit 0. One that only tidies up is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import atexit
+import os
+
+atexit.register(lambda: os._exit(0))
+
+
 def rate(n):
     return n // 3
""",
        mend="Let the process end as it ends.",
    ),
    Rule(
        "signal-trapped",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A signal that should end the process ends it with success, or not at all.",
        why="A time limit then looks like a pass. A handler that cleans up is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import signal
+import sys
+
+signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
+
+
 def rate(n):
     return n // 3
""",
        mend="Leave the signal alone, or end with a failure.",
    ),
    Rule(
        "runner-killed",
        Family.PROCESS,
        Level.BLOCKING,
        summary="The code signals the process that started it.",
        why="That process is the one that reports.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import os
+
+
 def rate(n):
+    os.kill(os.getppid(), 9)
     return n // 3
""",
        mend="Signal only processes that you started.",
    ),
    Rule(
        "interpreter-hook",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A file that Python runs before every program was added.",
        why="It can change the runner before it starts.",
        example="""\
--- /dev/null
+++ b/sitecustomize.py
+import unittest
""",
        mend="Remove the file.",
    ),
    Rule(
        "module-shadowed",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A new file takes the place of a library that tests use.",
        why="The runner, or what it compares with, is then ours to write.",
        example="""\
--- /dev/null
+++ b/pytest.py
+def main():
+    return 0
""",
        mend="Give the file another name, or put it into a package.",
    ),
    Rule(
        "fake-runner",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A new program has the name of one that checks use.",
        why="Found first on PATH, it runs instead.",
        example="""\
new file mode 100755
--- /dev/null
+++ b/bin/pytest
+#!/bin/sh
+exit 0
""",
        mend="Give the program another name.",
    ),
    Rule(
        "library-preloaded",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A variable that loads code into every program is set.",
        why="The code runs inside the runner.",
        example="""\
--- a/Makefile
+++ b/Makefile
+export LD_PRELOAD = ./shim.so
+
 build:
 \tcc -o rate rate.c
""",
        mend="Remove it.",
    ),
    Rule(
        "runner-patched",
        Family.PROCESS,
        Level.BLOCKING,
        summary="The code replaces parts of the test runner.",
        why="An assertion that was replaced cannot fail.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import unittest
+
+unittest.TestCase.assertEqual = lambda *given: None
+
+
 def rate(n):
     return n // 3
""",
        mend="Leave the runner alone.",
    ),
    Rule(
        "runner-imported",
        Family.PROCESS,
        Level.BLOCKING,
        summary="Product code imports the test runner.",
        why="It has no honest use for it, except in modules made for testing.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import _pytest.runner
+
+
 def rate(n):
     return n // 3
""",
        mend="Remove the import, or move the helper into a module for tests.",
    ),
    Rule(
        "report-touched",
        Family.PROCESS,
        Level.BLOCKING,
        summary="Product code handles a test report.",
        why="On import it can write the report itself. In a function it is advisory.",
        example="""\
--- a/rate.py
+++ b/rate.py
+with open("junit.xml", "w") as report:
+    report.write("<testsuite/>")
+
+
 def rate(n):
     return n // 3
""",
        mend="Leave reports to the runner.",
    ),
    Rule(
        "stack-inspected",
        Family.PROCESS,
        Level.ADVISORY,
        summary="The code looks at its callers, or traces what runs.",
        why="It could tell a test from a user. Loggers do it too.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import inspect
+
+
 def rate(n):
+    caller = inspect.stack()[1]
     return n // 3
""",
        mend="Pass what is needed as an argument.",
    ),
    Rule(
        "hidden-code",
        Family.PROCESS,
        Level.BLOCKING,
        summary="Code is decoded at run time and then run.",
        why="Nobody can read what it does.",
        example="""\
--- a/rate.py
+++ b/rate.py
+import base64
+
+exec(base64.b64decode("cGFzcw=="))
+
+
 def rate(n):
     return n // 3
""",
        mend="Write the code out.",
    ),
    Rule(
        "shell-early-exit",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A script leaves with success before it has done its work.",
        why="What stands behind `exit 0` does not run.",
        example="""\
--- a/check.sh
+++ b/check.sh
 set -e
+exit 0
 diff expected.txt actual.txt
""",
        mend="Remove the exit.",
    ),
    Rule(
        "shell-trap-success",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A trap ends the script with success.",
        why="Every failure of the script is then a success.",
        example="""\
--- a/check.sh
+++ b/check.sh
 set -e
+trap 'exit 0' EXIT
 diff expected.txt actual.txt
""",
        mend="Let the trap only tidy up.",
    ),
    Rule(
        "command-shadowed",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A script gives a command that checks another meaning.",
        why="`diff() { return 0; }` finds no difference anywhere.",
        example="""\
--- a/check.sh
+++ b/check.sh
 set -e
+diff() { return 0; }
 diff expected.txt actual.txt
""",
        mend="Give the function another name.",
    ),
    Rule(
        "failure-ignored",
        Family.PROCESS,
        Level.BLOCKING,
        summary="A script goes on after a failed check.",
        why="`|| true` makes every result a success.",
        example="""\
--- a/check.sh
+++ b/check.sh
 set -e
-diff expected.txt actual.txt
+diff expected.txt actual.txt || true
""",
        mend="Let the failure end the script.",
    ),
)
