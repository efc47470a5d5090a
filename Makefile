# Everything runs in .venv, which `make setup` makes from pyproject.toml and constraints.txt.
# Use another interpreter with `make PYTHON=python3.12 ...`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CLI := $(BIN)/consistency-lab

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench gallery notebooks clean

help: ## Say what each target does
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)

setup: $(STAMP) ## Make .venv with everything that the other targets need

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e '.[test,dev]'
	@touch $@

# $(call expect,CODE,COMMAND) runs a command whose exit code is part of its answer.
define expect
	@echo '$$ $(2)'
	@$(2); code=$$?; test $$code -eq $(1) || { echo "'$(2)' ended with exit code $$code; expected $(1)" >&2; exit 1; }
	@echo
endef

demo: setup ## Run the main job: an election, a theorem, and the check of every kept counterexample
	$(call expect,1,$(CLI) check logistic --profile vermont.toc)
	$(call expect,1,$(CLI) check logistic)
	$(call expect,0,$(CLI) verify counterexamples/*.json)

test: setup ## Run the tests and the examples in the docstrings
	$(BIN)/python -m pytest -n auto consistency_lab tests

lint: setup ## Check style, types and the direction of the imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict consistency_lab
	$(BIN)/lint-imports --no-logo --no-cache

bench: setup ## Measure, in one run, against cvxpy, SciPy and igraph
	$(BIN)/python -m benchmarks

gallery: setup ## Verify counterexamples/ and write its index again
	$(CLI) gallery counterexamples

notebooks: setup ## Run the notebooks and store their outputs again
	$(BIN)/python notebooks/run.py

clean: ## Remove .venv and what the tools leave behind
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
