#!/bin/sh
# The life of a plan, in a repository made for the occasion. Nothing of yours is touched.
set -eu
bin=$(cd "$(dirname "$0")/../.venv/bin" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
HOME=$place/home
PATH=$bin:$PATH
GOALKEEPER_AGENT=demo  # on a terminal, too, the commands below are an agent's
unset XDG_CONFIG_HOME XDG_STATE_HOME GOALKEEPER_RUN
export HOME PATH GOALKEEPER_AGENT
mkdir "$HOME" "$place/intake"
cd "$place/intake"
git init --quiet

bold='' cyan='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then bold=$(printf '\033[1m') cyan=$(printf '\033[36m') plain=$(printf '\033[0m'); fi
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
try() {
    printf '%s$' "$cyan"
    for word; do
        case $word in
            *[!A-Za-z0-9_./-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '%s\n' "$plain"
    "$@" 2>&1 || true
}

cat >brief.md <<'BRIEF'
Every row keeps its line number. No new dependencies.

@goal: Parse the intake CSVs
Validate headers and reject malformed rows with a reason for each.

@goal: Normalize records
Map raw rows onto the canonical schema and drop duplicates by record id.

@goal: Export the audit report
List every accepted and every rejected row.
BRIEF

say "A brief becomes a plan. It is recorded in a ledger that survives crashes."
try goalkeeper create-goals --brief-file brief.md
try goalkeeper complete-goals

say "The agent says it is done. Saying so completes nothing."
try goalkeeper checkpoint --goal-id G001 --status complete --evidence "all tests pass, trust me"

say "It cannot quietly drop a goal it does not like, either."
try goalkeeper steer --kind mark_blocked_superseded --goal-id G003 --evidence "boring" --rationale "boring"

say "Real findings may change the plan, with evidence; all of it is on record."
try goalkeeper steer --kind split_subgoal --goal-id G002 \
    --replacements-json '[{"title":"Map rows","objective":"Map raw rows onto the schema."},{"title":"Drop duplicates","objective":"Drop duplicates by record id."}]' \
    --evidence "the schema has two versions" --rationale "each half can be verified alone"

say "What only a human can settle waits for a human; the rest goes on."
try goalkeeper checkpoint --goal-id G001 --status blocked --evidence "the sample files need a password"
try goalkeeper classify-blocker --classification human_blocked --goal-id G001 --evidence "the password of the sample files"
try goalkeeper unblock --goal-id G001 --evidence "I guessed the password"
try goalkeeper complete-goals

say "Somebody edits goals.json by hand. The ledger is the truth, so it has no effect."
sed -i 's/"status":"blocked"/"status":"complete"/' .goalkeeper/runs/*/goals.json
try goalkeeper status

say "Somebody edits the ledger. That does not go unnoticed."
cp -p .goalkeeper/runs/*/ledger.jsonl ../ledger.backup
sed -i 's/trust me/trust us/; s/a password/no password/' .goalkeeper/runs/*/ledger.jsonl
try goalkeeper status
say "With the file back from a backup, the rest is rebuilt."
try cp ../ledger.backup .goalkeeper/runs/*/ledger.jsonl
try goalkeeper state repair
try goalkeeper ledger verify
try goalkeeper ledger show

say "Try it on a project of your own:"
cat <<NEXT
  export PATH=$bin:\$PATH
  cd your-project
  goalkeeper init
  goalkeeper create-goals --brief "what you want"
NEXT
