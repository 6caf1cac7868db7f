"""Hooks of others for the same job: what they run at a prompt and at a stop."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

from bench import peer_omx

OMC = "oh-my-claude-sisyphus"
OMC_VERSION = "5.5.0"

# A loop that is kept by a stop hook in bash, the way ralph-wiggum's goes about it: its state is a
# Markdown file with a heading, the transcript is read with jq, the promise is looked for with perl.
_RALPH = r"""#!/bin/bash
set -euo pipefail
input=$(cat)
state=.claude/ralph-loop.local.md
[[ -f $state ]] || exit 0
head=$(sed -n '/^---$/,/^---$/{ /^---$/d; p; }' "$state")
turn=$(echo "$head" | grep '^iteration:' | sed 's/iteration: *//')
most=$(echo "$head" | grep '^max_iterations:' | sed 's/max_iterations: *//')
promise=$(echo "$head" | grep '^completion_promise:' |
  sed 's/completion_promise: *//; s/^"//; s/"$//')
[[ $turn =~ ^[0-9]+$ && $most =~ ^[0-9]+$ ]] || exit 0
[[ $most -gt 0 && $turn -ge $most ]] && exit 0
transcript=$(echo "$input" | jq -r '.transcript_path')
grep -q '"role":"assistant"' "$transcript" || exit 0
last=$(grep '"role":"assistant"' "$transcript" | tail -1)
said=$(echo "$last" |
  jq -r '.message.content | map(select(.type == "text")) | map(.text) | join("\n")')
found=$(echo "$said" |
  perl -0777 -pe 's/.*?<promise>(.*?)<\/promise>.*/$1/s; s/^\s+|\s+$//g; s/\s+/ /g')
[[ $found == "$promise" ]] && exit 0
next=$((turn + 1))
prompt=$(awk '/^---$/{i++; next} i>=2' "$state")
sed "s/^iteration: .*/iteration: $next/" "$state" > "$state.tmp.$$"
mv "$state.tmp.$$" "$state"
jq -n --arg prompt "$prompt" --arg said "iteration $next" \
  '{"decision": "block", "reason": $prompt, "systemMessage": $said}'
"""
_STATE = """---
active: true
iteration: 1
max_iterations: 0
completion_promise: "DONE"
---
Fix the tests.
"""


def omc(event: str) -> str | None:
    """All that it runs at an event, at once as a client does, as one line of shell."""
    prefix = peer_omx.install_package(OMC, OMC_VERSION, peer_omx.default_cache())
    if prefix is None:
        return None
    root = prefix / "node_modules" / OMC
    told = json.loads((root / "hooks" / "hooks.json").read_bytes())["hooks"][event]
    commands = [hook["command"] for group in told for hook in group["hooks"]]
    rooted = [each.replace("${CLAUDE_PLUGIN_ROOT}", str(root)) for each in commands]
    started = " ".join(f'printf %s "$p" | sh -c {shlex.quote(each)} &' for each in rooted)
    return f"p=$(cat); {started} wait"


def ralph(place: Path) -> str | None:
    """A repository in which such a loop is on; the command that its stop hook is."""
    if not all(shutil.which(name) for name in ("bash", "jq", "perl")):
        print("no bash, jq or perl: ralph's stop hook is not measured")
        return None
    state = place / ".claude"
    state.mkdir(parents=True)
    (state / "ralph-loop.local.md").write_text(_STATE)
    said = {"message": {"role": "assistant", "content": [{"type": "text", "text": "done"}]}}
    lines = [json.dumps(said, separators=(",", ":"))] * 200
    (place / "transcript.jsonl").write_text("\n".join(lines) + "\n")
    hook = place / "stop-hook.sh"
    hook.write_text(_RALPH)
    os.chmod(hook, 0o755)
    return shlex.quote(str(hook))
