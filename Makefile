.DEFAULT_GOAL := help
.PHONY: help setup optional collected demo test thorough check bench bench-history reference clean

# What is compiled is kept: hundreds of test files, and every process that tests start.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
TYPED := $(wildcard src tests bench tools/*.py)
# Two more than there are cores: tests wait for programs, disks and clocks. Each worker begins with
# neighbours, which share what their file has prepared, and takes from others when it has none left.
# Kills by the thousand, whole corpora and megabytes are for `make thorough`.
PYTEST_CHOICE ?= -m "not thorough"
PYTEST_ARGS ?= -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2) --dist worksteal
PYTEST = $(BIN)/pytest -q -rs $(PYTEST_CHOICE) $(PYTEST_ARGS)

help:  ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

setup:  ## bring .venv up to date; instant when nothing changed
	@sh tools/setup.sh

optional: setup  ## install the programs that some tests need, where that is allowed
	@sh tools/optional.sh

demo:  ## see goalkeeper at work; installs no developers' tools
	@sh tools/setup.sh runtime
	$(BIN)/goalkeeper demo

test: setup  ## check, then the tests but for the longest; names what was skipped
	@$(MAKE) --no-print-directory -j3 check optional collected
	$(PYTEST)

thorough: optional collected  ## every test, also the longest; a skip fails
	GOALKEEPER_REQUIRE_ALL=1 GOALKEEPER_ROUNDS=3 $(BIN)/pytest -q -rs $(PYTEST_ARGS)

# Compiled once here, and not by every worker at the same time; what is wrong is for pytest to tell.
collected: setup
	@$(BIN)/pytest -q -n 0 --collect-only >/dev/null 2>&1 || true

check: setup  ## lint, format, types, directions: seconds
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy $(TYPED)
	$(BIN)/lint-imports --no-logo

bench: setup  ## measure
	$(BIN)/python -m bench

bench-history: setup  ## read the releases of real packages; fetches them
	$(BIN)/python -m bench.history

reference: setup  ## write reference and recorded sessions anew from the code
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.transcripts
	$(BIN)/python -m tools.picture
	$(BIN)/python -m tools.campaign_picture

clean:  ## remove all that make made
	rm -rf .venv .tools build dist .hypothesis
	rm -rf .import_linter_cache .mypy_cache .pytest_cache
	find . \( -name __pycache__ -o -name .ruff_cache \) -prune -exec rm -rf {} +
