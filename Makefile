# Two commands set everything up on a machine that has Python 3.11+ and ordinary build tools:
#   make demo    runs the main job on the bundled corpus
#   make test    passes the tests
# uv is used where it is there, else venv and pip; both install the versions that constraints.txt fixes.

VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BUILD_INPUTS := pyproject.toml setup.py $(wildcard src/errorbar/*/*.pyx src/errorbar/*/*.pxd)

# Tests start hundreds of programs, each of which would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo tokenize parquet report dask codabench errant detect judge postgresql llm inspect lm-eval all check layers test slow-tests postgresql-server tex browsers test-slow test-measured test-browser test-harness test-install ready pictures fuzz lint types docs bench packages pipeline models lock clean

help:
	@echo "make demo | all | $(subst $() , | ,$(EXTRAS)) | check | test | slow-tests | postgresql-server | tex | browsers | test-slow | test-measured | test-browser | test-harness | test-install | ready | pictures | fuzz | lint | types | docs | bench | packages | pipeline | models | lock | clean"

ifdef UV
INSTALL := $(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt
else
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt
endif
TALKING_INSTALL = $(subst --quiet ,,$(INSTALL))

define READ_REQUIREMENTS
import sys, tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
lists = {"errorbar": project["dependencies"]} | project["optional-dependencies"]
print("\n".join(line for name in sys.argv[1:] for line in lists[name]))
endef
export READ_REQUIREMENTS

# A first installation takes a minute or two: it says what it is at.
$(VENV)/.base: $(BUILD_INPUTS)
	@echo "1 of 3: a Python environment in $(VENV)"
ifdef UV
	@test -x $(BIN)/python || $(UV) venv --quiet --python '>=3.11' $(VENV)
else
	@test -n "$(PYTHON)" || { echo "errorbar needs Python 3.11 or newer; name it: make PYTHON=/path/to/python3"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
endif
	@$(BIN)/python --version
	@echo "2 of 3: the libraries that errorbar needs, in the versions of constraints.txt"
	@$(BIN)/python -c "$$READ_REQUIREMENTS" errorbar report > $@.txt
	@$(TALKING_INSTALL) --requirement $@.txt
	@echo "3 of 3: errorbar itself; $(words $(wildcard src/errorbar/*/*.pyx)) kernels are compiled, if there is a C compiler"
	@$(TALKING_INSTALL) $(if $(UV),--reinstall-package errorbar) --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base constraints.txt
	$(INSTALL) --group dev
	@touch $@

demo: $(VENV)/.base
	$(BIN)/errorbar demo

# A file's tests stay with one worker: they share what its fixtures made. Files come in the order of tests/conftest.py. A
# worker that ends, as by a test's limit, ends the run: pytest-xdist 3.8 waits for ever for the tests of a worker that it
# put in the place of another.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

test: $(VENV)/.dev
	$(PYTEST)

# The tests that take long, so that the others stay quick: measured anew, on a machine that does nothing else.
slow-tests: $(VENV)/.dev
	$(PYTEST) -p tests.helpers.times

layers: $(VENV)/.dev
	$(BIN)/python -m pytest -q tests/test_layers.py

# What a change must pass before it is proposed; .ci/run is everything.
check: lint types test

# What an extra needs, beside errorbar as it is: this checkout stays what runs, and nothing is compiled again. Where an
# extra comes with a package of this checkout, that is installed by its path: a name on an index may be a stranger's.
EXTRAS := tokenize parquet report dask codabench errant detect judge postgresql llm inspect lm-eval
PACKAGE_errant := packages/errorbar-en
PACKAGE_detect := packages/errorbar-models
$(EXTRAS): %: $(VENV)/.extra-%
$(VENV)/.extra-inspect $(VENV)/.extra-lm-eval: INSTALL := $(subst constraints.txt,constraints-harness.txt,$(INSTALL))
$(VENV)/.extra-errant: $(wildcard packages/errorbar-en/errorbar_en/model/*)
$(VENV)/.extra-detect: $(wildcard packages/errorbar-models/errorbar_models/models/*)
$(VENV)/.extra-%: $(VENV)/.base pyproject.toml
	$(BIN)/python -c "$$READ_REQUIREMENTS" $* > $@.txt
	$(INSTALL) --requirement $@.txt $(addprefix ./,$(PACKAGE_$*))
	@touch $@

# Every extra but postgresql, whose license is another, and the harnesses.
all: tokenize parquet report dask codabench errant detect judge llm

# Debian's PostgreSQL server, for the tests of stores on it, where it is missing and this account may; elsewhere these say
# why they skip.
postgresql-server:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && \
		command -v apt-get >/dev/null && apt-get install --yes --quiet --no-install-recommends postgresql; } || \
		echo "no PostgreSQL server here, and it cannot be installed: tests of stores on it will skip"

# Debian's small set of TeX, for the tests that compile what is exported: 140 MB, of which 45 are fetched.
tex:
	@kpsewhich booktabs.sty >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get install --yes --quiet --no-install-recommends texlive-latex-base texlive-latex-recommended lmodern; } || \
		echo "no LaTeX here, and it cannot be installed: tests that compile exports will skip"

test-slow: $(VENV)/.dev $(VENV)/.extra-errant postgresql-server tex
	$(PYTEST) -m "(slow or hypothesis) and not measured and not browser and not install" --hypothesis-profile thorough

# About an hour: simulations and trainings whose pages in docs/measurements were made by them, and scripted raters who
# type for minutes. test-slow and test-browser have parts of all.
test-measured: $(VENV)/.browser $(VENV)/.extra-errant browsers
	$(PYTEST) -m measured

$(VENV)/.browser: $(VENV)/.dev
	$(INSTALL) --group browser
	@touch $@

# Debian's Chromium and Firefox are installed where they are missing and this account may; elsewhere the tests say why
# they skip.
browsers:
	@{ command -v chromium && command -v firefox-esr; } >/dev/null || { [ "$$(id -u)" = 0 ] && \
		command -v apt-get >/dev/null && \
		apt-get install --yes --quiet --no-install-recommends chromium firefox-esr fonts-dejavu-core; } || \
		echo "no Chromium or no Firefox here, and they cannot be installed: some of the browser tests will skip"

test-browser: $(VENV)/.browser browsers
	$(BIN)/python -m pytest -m "browser and not measured" tests/browser tests/judging/browser

# inspect_ai and lm-evaluation-harness as released, in an environment of their own: 700 MB of libraries that
# nothing else needs. Their versions are those of constraints-harness.txt.
HARNESS := .venv-harness
$(HARNESS)/.ready: $(VENV)/.base constraints-harness.txt
ifdef UV
	test -x $(HARNESS)/bin/python || $(UV) venv --quiet --python $(BIN)/python $(HARNESS)
	$(UV) pip install --quiet --python $(HARNESS)/bin/python --constraint constraints-harness.txt \
		--editable '.[inspect,lm-eval]' pytest hypothesis psutil
else
	test -x $(HARNESS)/bin/python || $(BIN)/python -m venv $(HARNESS)
	$(HARNESS)/bin/python -m pip install --quiet --constraint constraints-harness.txt \
		--editable '.[inspect,lm-eval]' pytest hypothesis psutil
endif
	@touch $@

# Streams that inspect_ai leaves open are collected whenever Python likes, after the last test as well.
test-harness: $(HARNESS)/.ready
	$(HARNESS)/bin/python -m pytest -W "ignore:Unclosed <MemoryObject:ResourceWarning" tests/harnesses

# The wheel and the sdist, built from what is committed or would be, in clean environments outside the checkout.
test-install: $(VENV)/.dev postgresql-server
	$(BIN)/python -m pytest -m install --numprocesses 2 --dist worksteal tests/install

# All that the other targets would install: then several of them may run at the same time.
ready: $(VENV)/.browser $(VENV)/.extra-errant $(HARNESS)/.ready postgresql-server tex browsers

# The pictures of docs/judge, of a study that runs, and of docs/report and docs/tutorial, of the demo corpus.
pictures: $(VENV)/.browser
	$(BIN)/python -m tests.judging.browser.pictures docs/judge
	$(BIN)/python -m tests.browser.pictures docs/report docs/tutorial

# A fixed number of inputs of a fixed seed, so that the same are read everywhere: make fuzz FUZZ=250000, FUZZ_SEED=1.
# A tenth as many are read with kernels that check every index, and memory where the compiler can.
FUZZ ?= 20000
FUZZ_SEED ?= 0
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --inputs $(FUZZ) --seed $(FUZZ_SEED)
	$(BIN)/python -m tests.fuzz --checked --inputs $$(($(FUZZ) / 10)) --seed $(FUZZ_SEED)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The browser tests are typed as well, so their libraries must be there.
types: $(VENV)/.browser
	$(BIN)/mypy

docs: $(VENV)/.dev
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/bench.py

# Wheels of errorbar, its English pipeline and its small models in dist/, to be installed by their paths.
packages: $(VENV)/.base
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist . packages/errorbar-en packages/errorbar-models
	@ls dist

# Sixteen minutes; a folder of its own, since spaCy's training needs more than errorbar does.
UD ?= ../shared/data/ud_english_ewt
pipeline:
	python3 -m venv build/pipeline
	build/pipeline/bin/python -m pip install --quiet 'spacy>=3.8,<3.9' spacy-lookups-data
	build/pipeline/bin/python packages/errorbar-en/train.py $(UD) packages/errorbar-en/errorbar_en/model

# Some four minutes of one core; three steps, since each says whose license the models have that are made of it.
TEXTS ?= ../shared/data/openstax_ccby_text
# Not a book, and one whose text says CC BY-NC-SA 4.0.
OTHERS = $(TEXTS)/LICENSE.CC-BY-4.0.txt $(TEXTS)/introduction-business.txt
LABELS ?= ../shared/data/conll13/revised/official-preprocessed.m2
MODELS := packages/errorbar-models/errorbar_models/models
models: $(VENV)/.base
	$(BIN)/errorbar train --treebank $(wildcard $(UD)/en_ewt-ud-train*.conllu) -o $(MODELS) \
		--license 'CC BY-SA 4.0' --provenance 'UD English-EWT 2.15, training part'
	$(BIN)/errorbar train $(filter-out $(OTHERS),$(wildcard $(TEXTS)/*.txt)) --small -o $(MODELS) \
		--license 'CC BY 4.0' --provenance '19 textbooks of OpenStax, openstax.org'
	$(BIN)/errorbar train --labels $(LABELS) --lenient --small -o $(MODELS) \
		--license 'terms open: fitted to labels that are free to distribute, © 2013 the organizers of CoNLL-2013, who say nothing of what is made of them' --provenance 'CoNLL-2013 test set, release 2.3.1, revised annotation'

lock:
	uv pip compile --quiet --upgrade --universal --no-header --no-annotate --extra all --extra postgresql --group dev \
		--group browser pyproject.toml -o constraints.txt
	printf 'pytest>=8\nhypothesis>=6\n' | uv pip compile --quiet --upgrade --universal --no-header --no-annotate \
		--extra inspect --extra lm-eval pyproject.toml - -o constraints-harness.txt

clean:
	rm -rf $(VENV) $(HARNESS) build docs/_build src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name '*.so' -o -name '_*.c' | xargs rm -f
