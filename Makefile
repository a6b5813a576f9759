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
# Libraries that the light environment does without: LATEST holds those that go with the newest Gymnasium and PettingZoo, RAY
# RLlib and AgileRL with the older ones, DOCS what builds the pages.
LATEST := .venvs/latest
LATEST_EXTRAS := all,notebook,test
RAY := .venvs/ray
RAY_EXTRAS := rllib,agilerl,train,render,test
DOCS := .venvs/docs
# pip as root warns, and asks for newer pips: neither is news here.
export PIP_ROOT_USER_ACTION := ignore
export PIP_DISABLE_PIP_VERSION_CHECK := 1
PYTEST := $(BIN)/python -m pytest
WORKERS ?= 2
# Extra arguments for pytest, such as ARGS="-k stack -x".
ARGS ?=

# $(call environment,FOLDER,CONSTRAINTS,EXTRAS): a virtual environment with the project in it, editable, and every version pinned.
define environment
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "uno-env needs Python 3.11 or newer, found " + sys.version)'
test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
@echo "Installing into $(1) (some minutes the first time)"
$(1)/bin/python -m pip install -qq -c $(2) -e ".[$(3)]"
touch $(1)/installed
endef

.PHONY: help install train test test-integrations install-integrations lint types layers format
.PHONY: test-core-python test-core-boundscheck test-all test-release test-latest test-ray docs tutorial bench build clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP)  ## create .venv and install everything, pinned by constraints.txt

$(STAMP): pyproject.toml constraints.txt
	$(call environment,$(VENV),constraints.txt,dev)

install-integrations: $(STAMP) $(LATEST)/installed $(RAY)/installed $(DOCS)/installed  ## create the environments of the integrations

$(LATEST)/installed: pyproject.toml constraints.txt
	$(call environment,$(LATEST),constraints.txt,$(LATEST_EXTRAS))

$(RAY)/installed: pyproject.toml constraints-ray.txt
	$(call environment,$(RAY),constraints-ray.txt,$(RAY_EXTRAS))

$(DOCS)/installed: pyproject.toml constraints.txt
	$(call environment,$(DOCS),constraints.txt,docs)

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

test-integrations: install-integrations test-release test-latest test-ray  ## every library that we claim to work with, the wheel, the pages

test-release: $(STAMP) $(DOCS)/installed  ## the wheel in an environment of its own, the pages
	$(PYTEST) tests/integrations/release --durations=5 $(ARGS)

test-latest: $(LATEST)/installed  ## integrations beside the newest Gymnasium and PettingZoo, the notebook
	$(LATEST)/bin/python -m pytest -n $(WORKERS) tests/integrations/latest --durations=10 $(ARGS)

test-ray: $(RAY)/installed  ## integrations beside the releases that Ray and AgileRL want; Ray starts processes of its own
	$(RAY)/bin/python -m pytest tests/integrations/ray --durations=10 $(ARGS)

docs: $(DOCS)/installed  ## the documentation as a website in site/; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

tutorial: $(LATEST)/installed  ## run the notebook and store what it shows
	$(LATEST)/bin/python docs/notebook.py

bench: $(STAMP)  ## throughput of everything beside its peers, measured in one run, and the page about it (5 minutes)
	$(BIN)/python -m pip install -qq -c constraints.txt -e ".[bench]"
	$(BIN)/python -W ignore -m benchmarks.throughput --json benchmarks/results/throughput.json $(ARGS)
	$(BIN)/python -m benchmarks.report

build: $(STAMP)  ## sdist and wheel in dist/
	$(BIN)/python -m build

clean:  ## remove the venv, caches and build products; runs/ stays
	rm -rf $(VENV) .venvs .cache site dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
