# `make demo` shows what Pagesieve does, `make test` tests it. Each sets up what it needs the first time.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint sanitize clean
.DEFAULT_GOAL := demo

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Pagesieve needs Python 3.11 or newer; '$(PYTHON)' is older (set PYTHON=…)" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=24'  # older ones stumble over extras
	@touch $@

# What the main job needs: the package itself, its kernel compiled where a C compiler is there.
$(VENV)/.installed: $(VENV)/.made pyproject.toml setup.py src/pagesieve/page/kernel/*.py src/pagesieve/page/kernel/*.pxd
	@echo "Setting up $(VENV): the package and its kernel"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# What the tests need: the same with the extras, so that the kernel is compiled once, and the system's packages.
$(VENV)/.installed-tests: $(VENV)/.made pyproject.toml setup.py src/pagesieve/page/kernel/*.py src/pagesieve/page/kernel/*.pxd tools/system_packages.sh
	@echo "Setting up $(VENV): the package, its kernel, and what the tests need"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench,sites,train,browser,batch,deduplicate,ray,integrations]'
	@sh tools/system_packages.sh postgresql chromium fonts-dejavu-core fonts-noto-cjk
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-tests lint
	@$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST)

lint: $(VENV)/.installed-tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

# For developers, ten minutes: the kernel with bounds checks, under the address and undefined-behaviour sanitizers.
sanitize: $(VENV)/.installed-tests
	@$(BIN)/python tools/sanitize.py

clean:
	rm -rf $(VENV) build dist src/*.egg-info src/pagesieve/page/kernel/*.so .pytest_cache .mypy_cache .ruff_cache
