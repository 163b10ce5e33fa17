# Every target makes the virtual environment it needs, so that `make demo` and `make test` work on a
# machine that has only Python with pip.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
N ?= 2000
# Modules of CPython's tests, and folders of NumPy's.
CONFORM ?= test.test_float test.test_list test.test_dict test.test_slice test.test_statistics
CONFORM_NUMPY ?= lib linalg polynomial

.PHONY: demo test check golden fuzz conform clean

# Generate the derivatives of examples/heat.py, verify them, and use them.
demo: $(VENV)/.installed
	$(BIN)/adjointgen generate examples/heat.py::heat --wrt u0,alpha --type 'wanted=float64[:]' -o examples/heat_ad.py
	$(BIN)/adjointgen verify examples/heat.py::heat --wrt u0,alpha --type 'wanted=float64[:]'
	$(BIN)/python examples/use_heat.py

# The whole test suite.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto

# What to run before a commit: lint, format, types and the quick tests.
check: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff check --isolated --no-cache tests/golden examples
	$(BIN)/black --check --quiet adjointgen tests
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto -m "not slow and not fuzz"

# Rewrite the golden files; review the difference like code.
golden: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/test_golden.py --update-golden

# Draw N random programs for each property.
fuzz: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto -m fuzz --fuzz-count=$(N)

# Run other people's tests as they are and as primal programs; print what came of them.
conform: $(VENV)/.installed-test
	@mkdir -p build && rm -f build/conform.json
	for each in $(CONFORM); do $(BIN)/python -m tests.conform.cases $$each build/conform.json; done
	for each in $(CONFORM_NUMPY); do ADJOINTGEN_CONFORM=build/conform.json $(BIN)/python -m pytest -c /dev/null \
	    -p tests.conform.plugin -p no:cacheprovider --pyargs numpy.$$each.tests > build/conform.log 2>&1 || true; done
	$(BIN)/python -m tests.conform.table build/conform.json

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
