"""`http`: the check starts a server, asks it on loopback, and stops it.

Server and client run in the same sandbox, because a sandbox has a loopback of its own.
"""

from __future__ import annotations

import json
import re
import sys

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramCall,
    make_failed,
    make_passed,
    make_unknown,
)

_KEPT_BYTES = 4 << 20

# It runs in the sandbox, with the standard library alone, and prints the answer.
_ASK = """
import http.client, json, subprocess, sys, time, urllib.error, urllib.request
url, wait, argv = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
open_ = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
def ask():
    try:
        with open_(url, timeout=wait) as answer:
            return answer.status, answer.read(1 << 20)
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read(1 << 20)
try:
    ask()
except (OSError, http.client.HTTPException) as exc:
    reason = getattr(exc, "reason", exc)
    taken = isinstance(reason, (TimeoutError, ConnectionResetError, http.client.HTTPException))
else:
    taken = True
if taken:
    print(json.dumps({"taken": True})); sys.exit(0)
server = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr)
end = time.monotonic() + wait
said = None
while said is None and time.monotonic() < end and server.poll() is None:
    try:
        said = ask()
    except (OSError, http.client.HTTPException):
        time.sleep(0.02)
ended = server.poll()
server.kill()
print(json.dumps({"status": said and said[0], "ended": ended,
                  "body": said and said[1].decode(errors="replace")}))
"""


def check_http(check: Check, place: CheckContext) -> CheckResult:
    options = check.options
    argv = (sys.executable, "-I", "-S", "-c", _ASK, options["url"], str(options["wait"]))
    ended = place.run_program(
        ProgramCall((*argv, *check.main_option), options, keep_bytes=_KEPT_BYTES)
    )
    ran = ended.require_exit()
    try:
        answer = json.loads(ran.out.text)
    except ValueError:
        return make_unknown(f"the server could not be asked (exit {ran.code})", ended)
    if answer.get("taken"):
        said = f"something else answers at {options['url']} already"
        return make_unknown(said, ended, outside=True)
    if answer["status"] is None:
        ended_so = "" if answer["ended"] is None else f"; the server ended with {answer['ended']}"
        return make_failed(f"no answer within {options['wait']} s{ended_so}", ended)
    if answer["status"] != options["status"]:
        return make_failed(f"status {answer['status']}, expected {options['status']}", ended)
    if options["body"] and not re.search(options["body"], answer["body"], re.MULTILINE):
        return make_failed(f"the body does not match {options['body']}", ended)
    return make_passed(f"status {answer['status']}", ended)
