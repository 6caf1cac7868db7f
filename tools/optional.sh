#!/bin/sh
# Programs that some tests need and goalkeeper can do without: installed where that is allowed.
# What cannot be installed is named; its tests are skipped, and say so at the end.
set -eu
cd "$(dirname "$0")/.."

say() { echo "optional: $*" >&2; }
. tools/debian.sh

# program:package
wanted="bwrap:bubblewrap node:nodejs npm:npm gcc:gcc bats:bats tmux:tmux"

missing=""
for pair in $wanted; do
    command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
done

if [ -z "$missing" ]; then
    :
elif can_install; then
    say "installing$missing with apt-get"
    for package in $missing; do install "$package" || say "$package cannot be installed"; done
else
    say "not installed, and not ours to install:$missing; their tests will be skipped"
fi

# Coding agents, at the versions that the tests know; kept in the user's cache.
if command -v npm >/dev/null; then
    .venv/bin/python -m tools.clients install >&2 || say "their tests will be skipped"
else
    say "no npm, so no coding agents; their tests will be skipped"
fi
