# `make demo` shows what Pagesieve does, `make test` tests it. Each sets up what it needs the first time.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test test-data lint oldest docs figures dist sbom sanitize fuzz soak clean
.DEFAULT_GOAL := demo
# Tests start hundreds of Pythons, each of which would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

# pip, of a version that knows dependency groups, and what compiles the kernel.
$(VENV)/.made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Pagesieve needs Python 3.11 or newer; '$(PYTHON)' is older (set PYTHON=…)" >&2; exit 2; }
	@echo "Setting up $(VENV): pip and what compiles the kernel"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > $(VENV)/build.txt
	@$(PIP) --upgrade 'pip>=25.1' --requirement $(VENV)/build.txt
	@touch $@

# The kernel is compiled here, which takes a minute, and not by pip, which would show nothing of it.
$(VENV)/.kernel: $(VENV)/.made setup.py $(wildcard src/pagesieve/page/kernel/*.p* src/pagesieve/page/kernel/*/*.p*)
	@echo "Setting up $(VENV): the kernel"
	@$(BIN)/python -u setup.py --quiet build_ext --inplace
	@touch $@

# What the demo needs: the package itself, and its site library. pip takes the kernel as it is.
$(VENV)/.installed: $(VENV)/.kernel
	@echo "Setting up $(VENV): the package and what it needs"
	@$(PIP) --no-build-isolation --editable '.[sites]'
	@touch $@

# What the tests need: the same with the extras, and the system's packages.
$(VENV)/.installed-tests: $(VENV)/.kernel tools/system_packages.sh tools/npm_packages.sh
	@echo "Setting up $(VENV): the package, and what the tests need"
	@$(PIP) --no-build-isolation --editable '.[all,integrations]' --group dev --group bench --group docs
	@sh tools/system_packages.sh postgresql chromium fonts-dejavu-core fonts-noto-cjk
	@sh tools/npm_packages.sh $(VENV)/node 'axe-core@^4.10' 'iframe-worker@^1.0'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-tests lint
	@$(BIN)/python -m pytest -n auto --dist loadgroup -m 'not data' $(PYTEST)

# All labelled pages, where they are (PAGESIEVE_DATA, or ../shared/data); `make test` takes a fixed sample of them.
test-data: $(VENV)/.installed-tests
	@$(BIN)/python -m pytest -n auto --dist loadgroup -m data $(PYTEST)

lint: $(VENV)/.installed-tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

# The docs as a site that needs no network: site/index.html.
docs: $(VENV)/.installed-tests
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

# The charts and pictures of the docs, and the tables against peers, from figures that are measured already.
figures: $(VENV)/.installed-tests
	@$(BIN)/python benchmarks/figures.py
	@$(BIN)/python docs/make_way.py
	@$(BIN)/python docs/make_screenshots.py

# The oldest versions that pyproject.toml allows, tried by the tests of what uses them. The kernel is the one that was compiled for $(VENV).
OLDEST := $(VENV)-oldest
OLDEST_EXTRAS := sites,batch,crawl,serve
OLDEST_TESTS := api page builders decode items metadata languages urls headline records_static retries public exchanges feeds sitemaps records_database

$(OLDEST)/.installed: $(VENV)/.installed-tests pyproject.toml tools/oldest.py
	@echo "Setting up $(OLDEST): the oldest dependencies"
	@$(BIN)/python -m venv --clear $(OLDEST)
	@$(BIN)/python tools/oldest.py --extras $(OLDEST_EXTRAS) > $(OLDEST)/constraints.txt
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=24'
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint $(OLDEST)/constraints.txt --editable '.[$(OLDEST_EXTRAS)]' pytest pytest-xdist hypothesis packaging PyYAML
	@touch $@

oldest: $(OLDEST)/.installed
	@$(OLDEST)/bin/python -m pytest -q -n auto -m 'not slow and not data' -k 'not browser and not fetched and not peers' $(OLDEST_TESTS:%=tests/test_%.py) tests/crawl/test_downloader.py tests/crawl/test_scheduler.py

# What is published: a source distribution, a wheel for this Python (cibuildwheel builds the others), and what they are made of.
dist: $(VENV)/.made
	@$(PIP) --group release
	@$(BIN)/python -m build --outdir dist

# The SBOM (CycloneDX) of an environment that holds the package and what it needs, and nothing else. The kernel is the one of $(VENV).
sbom: $(VENV)/.kernel
	@rm -rf build/sbom && mkdir -p build dist
	@$(BIN)/python -m venv --without-pip build/sbom
	@$(BIN)/python -m pip --python build/sbom/bin/python install --quiet --disable-pip-version-check --editable .
	@$(PIP) --group release
	@version=$$(build/sbom/bin/python -c 'import pagesieve; print(pagesieve.__version__)') && \
		sed "s/^dynamic = .*/version = \"$$version\"/" pyproject.toml > build/sbom/pyproject.toml  # which the SBOM is to name
	@$(BIN)/cyclonedx-py environment build/sbom/bin/python --pyproject build/sbom/pyproject.toml --mc-type library --output-reproducible \
		--of JSON -o dist/pagesieve.cdx.json

# For developers, ten minutes: the kernel with bounds checks, under the address and undefined-behaviour sanitizers.
sanitize: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.sanitize

# For developers: mutated files for everything that reads files of strangers; docs/testing.md has the options.
MINUTES ?= 60
fuzz: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.fuzz --minutes $(MINUTES) $(FUZZ)

# For developers, half an hour: 200,000 extractions twice and 1,000 pages in a browser, which must not grow.
soak: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.soak $(SOAK)

clean:
	rm -rf $(VENV) $(OLDEST) build dist site src/*.egg-info src/pagesieve/page/kernel/*.so .pytest_cache .mypy_cache .ruff_cache
