# Everything runs in .venv, which `make setup` makes from pyproject.toml and constraints.txt.
# Use another interpreter with `make PYTHON=python3.12 ...`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CLI := $(BIN)/consistency-lab

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# A start of Python without stored bytecode compiles the whole package, and the tests start it some hundred times.
unexport PYTHONDONTWRITEBYTECODE

# Fast tests of every package: what `make quick` runs.
QUICK := $(addprefix tests/, audit/test_losses.py audit/test_noise.py book/test_refuting.py \
    certify/test_at_distribution.py certify/test_by_hand.py \
    certify/test_systems.py certify/test_tasks.py cli/test_command.py cli/test_list.py \
    cli/test_show.py cli/test_verify.py core/test_addition.py core/test_cells.py core/test_farkas.py \
    core/test_imports.py core/test_polynomial.py core/test_reals.py data/test_formats.py \
    data/test_given.py data/test_matrix.py decide/test_added_up.py decide/test_exchange.py \
    decide/test_labels_exchange.py decide/test_one_world.py learn/test_exact.py learn/test_losses.py \
    learn/test_risk.py learn/test_training.py measure/test_rate.py \
    model/tasks/test_tasks.py model/test_distribution.py model/tasks/test_means.py \
    model/test_graphs.py model/test_posets.py numbers/test_expression.py numbers/test_rational.py \
    numbers/test_table.py search/test_effort.py search/test_inverse.py show/test_profile.py \
    show/test_text.py solve/test_connectivity.py solve/test_numeric.py test_counting.py test_errors.py)

.PHONY: help setup demo quick test long elections lint bench gallery formal replay notebooks docs clean

help: ## Say what each target does
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)

setup: $(STAMP) ## Make .venv with everything that the other targets need

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-compile -c constraints.txt -e '.[test,dev]'
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

quick: setup ## Run fast tests of every package, in less than a minute
	$(BIN)/python -m pytest -n auto -m "not long" $(QUICK)

test: setup ## Run the tests and the examples in the docstrings
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not long" consistency_lab tests

long: setup ## Run the tests that take long: trained programs, simulated levels, documents, notebooks
	$(BIN)/python -m pytest -n auto --dist worksteal -m long $(shell grep -rl --include='test_*.py' 'mark[.]long' tests)

elections: ## Test the rules of elections in an environment of their own, whose NumPy is older
	test -x .venv-elections/bin/python || $(PYTHON) -m venv .venv-elections
	env -u PIP_CONSTRAINT .venv-elections/bin/python -m pip install --disable-pip-version-check --quiet --no-compile -e '.[elections]' pytest
	.venv-elections/bin/python -m pytest -p no:cacheprovider --noconftest -q tests/elections.py

lint: setup ## Check style, types and the direction of the imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict consistency_lab
	$(BIN)/lint-imports --no-logo --no-cache

bench: setup ## Measure, in one run, against cvxpy, SciPy and igraph
	$(BIN)/python -m benchmarks

gallery: setup ## Verify counterexamples/ and write its index again
	$(CLI) gallery counterexamples

formal: ## Compile the proofs of formal/ with Coq, and compare what they say and rest on
	@command -v coqc >/dev/null || { echo "Coq is not installed: make formal needs coqc, in Debian's package coq" >&2; exit 1; }
	$(MAKE) -C formal check

replay: setup formal ## Prove the kept counterexamples in Coq, and check formal/ once more; make replay SAMPLE=5 SEED=text takes some
	$(BIN)/python formal/replay.py $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))
	$(MAKE) -C formal recheck

notebooks: setup ## Run the notebooks and store their outputs again
	$(BIN)/python notebooks/run.py

docs: $(VENV)/.docs build/book.json ## Build the documentation as a web site in site/, and check its links
	PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

$(VENV)/.docs: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-compile -c constraints.txt -e '.[docs]'
	@touch $@

build/book.json: $(wildcard consistency_lab/apps/book/*.py consistency_lab/apps/book/*/*.py consistency_lab/apps/book/pages/*.md) | $(VENV)/.docs
	mkdir -p build
	$(BIN)/python -m consistency_lab reproduce --json > $@

clean: ## Remove .venv and what the tools leave behind
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
