PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV := $(VENV)/.dev

.PHONY: demo test check acceptance bench bench-recall kill powerloss clean install

install: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed. Name one with: make PYTHON=python3.12 demo"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(DEV): $(STAMP) requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

demo: $(STAMP)
	@$(BIN)/ai-memory demo

test: $(DEV)
	@$(BIN)/python -m pytest -n 2 -m "not slow and not acceptance"

check: $(DEV)
	@$(BIN)/ruff check src tests bench scripts
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/test_structure.py

acceptance: $(DEV)
	@$(BIN)/python -m tests.acceptance.run

bench: $(DEV)
	@$(BIN)/python -m bench

bench-recall: $(DEV)
	@$(BIN)/python -m bench.recall all --write docs/recall.md

kill: $(DEV)
	@$(BIN)/python -m pytest -s -m slow tests/crash/test_kill.py

powerloss: $(DEV)
	@$(BIN)/python -m pytest -s -m slow tests/crash/test_powerloss.py

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
