# `make train` and `make test` work on a fresh clone: each sets up .venv first. `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The suite itself runs on two processes; targets run one after another.
.NOTPARALLEL:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
# pip as root warns, and asks for newer pips: neither is news here.
PIP := PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip
PYTEST := $(BIN)/python -m pytest
WORKERS ?= 2
# Extra arguments for pytest, such as ARGS="-k stack -x".
ARGS ?=

.PHONY: help install train test lint types layers format test-core-python test-core-boundscheck test-all bench build clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP)  ## create .venv and install everything, pinned by constraints.txt

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "uno-env needs Python 3.11 or newer, found " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (some minutes the first time)"
	$(PIP) install -qq -c constraints.txt -e ".[dev,train]"
	touch $@

train: $(STAMP)  ## train a two-player policy, evaluate it against the baselines, print the table (about 10 minutes)
	$(BIN)/python -m train.quickstart

test: lint types layers test-core-python test-core-boundscheck test-all  ## everything that has to hold before a merge

lint: $(STAMP)  ## formatting and lint rules (ruff)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(STAMP)  ## apply formatting and the safe lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(STAMP)  ## static types (pyright)
	$(BIN)/pyright

layers: $(STAMP)  ## who may import whom (import-linter)
	$(BIN)/lint-imports

test-core-python: $(STAMP)  ## core tests as plain Python; every line of the engine is reached
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n $(WORKERS) tests/core -m "not slow and not compiled_only" \
		--cov --cov-fail-under=100 --cov-report=term $(ARGS)

test-core-boundscheck: $(STAMP)  ## core tests compiled with array bounds checked
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -n $(WORKERS) tests/core $(ARGS)

test-all: $(STAMP)  ## the whole suite, compiled as users run it
	$(PYTEST) -n $(WORKERS) $(ARGS)

bench: $(STAMP)  ## throughput beside RLCard's Uno, measured in the same run
	$(PIP) install -qq -c constraints.txt -e ".[bench]"
	$(BIN)/python benchmarks/throughput.py $(ARGS)

build: $(STAMP)  ## sdist and wheel in dist/
	$(BIN)/python -m build

clean:  ## remove the venv, caches and build products; runs/ stays
	rm -rf $(VENV) .cache dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
