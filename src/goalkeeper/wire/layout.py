"""Names of files inside the state directory."""

from __future__ import annotations

STATE_DIR = ".goalkeeper"
CONFIG = "config.toml"
IGNORE = ".gitignore"
CURRENT = "current"
RUNS = "runs"
ARCHIVE = "archive"
CACHE = "cache"
BOUND = ".bound"  # inside RUNS: one small file per client session, naming its run
STATE_LOCK = ".lock"  # inside RUNS: held while runs are made or set aside

BRIEF = "brief.md"
GOALS = "goals.json"
LEDGER = "ledger.jsonl"
LOCK = "lock"
EVIDENCE = "evidence"
QUARANTINE = "quarantine"
PHASES = "phases"  # of a run: prompts, and what agents printed
DRIVE_LOCK = "drive.lock"
RUN = "GOALKEEPER_RUN"  # in the environment: which run is meant, if none is named
SPAWNED = "GOALKEEPER_SPAWNED"  # in the environment of agents that a drive started
LESSONS = "lessons.md"

IGNORED = (RUNS + "/", ARCHIVE + "/", CACHE + "/", "hold/", CURRENT, LESSONS)
