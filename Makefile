# The commands of the project; `make` alone lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup tools lock plotly demo up down lint check test intervals bench imports validate clean

PYTHON := .venv/bin/python
STAGE := scripts/stage.sh
TEMPLATES = $(shell find templates -type f)
# Two workers with one thread each: what the two cores of CI carry (decision 30).
WORKERS ?= 2
check test: export OMP_NUM_THREADS := 1
# Where an image sets it, each of the hundreds of processes that tests start would compile all modules anew.
check test: export PYTHONDONTWRITEBYTECODE :=
PYTEST := $(PYTHON) -m pytest -n $(WORKERS) --dist worksteal --durations=15 --durations-min=5
# Models, services, queue and counts of questions (decision 31); chaos and the equality of pages bring their own PostgreSQL.
OVER_SERVERS := $(PYTHON) -m tests.servers $(PYTEST) -m "not slow" \
	tests/runs tests/people tests/leaderboard/test_query_counts.py

help:  ## list the commands
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

setup:  ## make .venv with the locked packages, and as root install missing system packages
	@scripts/setup.sh

tools: plotly
	@scripts/setup.sh develop

lock:  ## write the locks of all packages, requirements*.txt, from the ranges in pyproject.toml; ARGS=--upgrade renews them
	@[ -x .venv/bin/uv ] || scripts/setup.sh develop
	@$(PYTHON) scripts/lock.py $(ARGS)

plotly:  ## fetch plotly.js for the pages that explore a chart; without it they show the drawing
	@python3 scripts/fetch_plotly.py || true

demo: setup  ## evaluate the six smoke tasks on this machine's CPU and print the board
	@$(PYTHON) -m evaluator demo

up:  ## set up, then start the site and a worker, run the demo and print the address; Ctrl-C stops all
	@scripts/setup.sh site
	@$(PYTHON) scripts/fetch_plotly.py || true
	@$(PYTHON) scripts/up.py

down:  ## stop a site that was started in another terminal
	@[ ! -e .venv/requirements-site.txt.done ] || $(PYTHON) scripts/up.py down

lint: tools
	@$(STAGE) "ruff check" .venv/bin/ruff check
	@$(STAGE) "ruff format --check" .venv/bin/ruff format --check
	@$(STAGE) "mypy" .venv/bin/mypy
	@$(STAGE) "lint-imports" .venv/bin/lint-imports
	@$(STAGE) "djade --check" .venv/bin/djade --check --target-version 5.2 $(TEMPLATES)
	@$(STAGE) "djlint" .venv/bin/djlint --quiet $(TEMPLATES)

check: lint  ## lint, types, import contracts and the quick tests
	@echo "== pytest without the slow tests"
	@$(PYTEST) -m "not slow"

# CI reads pytest's closing line as the last one: the time of the last stage stands there.
test: lint  ## the same with every test, then what asks the database over PostgreSQL and Redis too: what CI runs
	@$(STAGE) "pytest" $(PYTEST)
	@echo "== pytest over PostgreSQL and Redis"
	@$(OVER_SERVERS)

intervals: tools  ## simulate how often intervals of cases and boards hold the truth; draws the boards' for the metrics page: 2 min
	@OMP_NUM_THREADS=1 $(PYTHON) scripts/stopping_coverage.py
	@OMP_NUM_THREADS=1 $(PYTHON) scripts/interval_coverage.py

bench:  ## measure the pages over 10 k, 100 k and 1 M synthetic measurements with wrk; ARGS="--measurements 10000" bounds it
	@scripts/setup.sh site
	@nice $(PYTHON) scripts/bench.py $(ARGS)

imports:  ## measure how reading bundles of 10 k, 100 k and 1 M measurements grows, in seconds and memory; ARGS as of bench
	@scripts/setup.sh site
	@nice $(PYTHON) scripts/bench_imports.py $(ARGS)

validate: setup  ## check each task whole that tasks/validated.json has no current line of; ARGS=--again checks all
	@$(PYTHON) -m evaluator validate all $(ARGS)

clean: down  ## remove .venv, .arena with database and records, static/vendor, caches, and .env if only `make up` wrote it
	rm -rf .venv .arena static/vendor .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	@if grep -qsvE '^(#.*|SECRET_KEY=.*|)$$' .env; then echo ".env holds settings of yours: kept"; else rm -f .env; fi
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
