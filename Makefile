# Every target makes the virtual environment it needs, so that `make demo` and `make test` work on a
# machine that has only Python with pip.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
N ?= 2000
# Suites of others, all of tests/conform/suites.txt where none is named.
CONFORM ?=

.PHONY: demo test check docs golden fuzz thorough conform frameworks clean

# Generate the derivatives of examples/heat.py, verify them, and use them.
demo: $(VENV)/.installed
	$(BIN)/adjointgen generate examples/heat.py::heat --wrt u0,alpha -o examples/heat_ad.py
	$(BIN)/adjointgen verify examples/heat.py::heat --wrt u0,alpha
	$(BIN)/python examples/use_heat.py

# The whole test suite; tests of many similar parameters have a sample of them.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto

# What to run before a commit: lint, format, types and the quick tests.
check: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff check --isolated --no-cache tests/golden examples
	$(BIN)/black --check --quiet adjointgen tests
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto -m "not slow and not fuzz"

# The documentation as a site: build/site/index.html.
docs: $(VENV)/.installed-test
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site -d build/doctrees

# Rewrite the golden files; review the difference like code.
golden: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/test_golden.py --update-golden

# Draw N random programs for each property.
fuzz: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto -m fuzz --fuzz-count=$(N)

# The whole test suite with all parameters of the tests that take a sample of them.
thorough: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto --thorough

# Run other people's tests as they are and as primal programs; print what came of them, and write the
# table of docs/coverage.md where all are run.
conform: $(VENV)/.installed-test
	@mkdir -p build
	$(BIN)/python -m tests.conform.run build/conform.json $(CONFORM)

# Run the adaptors of examples/frameworks in PyTorch, JAX, OpenMDAO and PyTensor, which are installed.
frameworks: $(VENV)/.installed-test
	$(PIP) install --quiet --editable '.[frameworks]'
	$(BIN)/python -m pytest tests/solvers/test_frameworks.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.installed
