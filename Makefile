# Every way to start, test and keep Arbiter. `make` alone lists them.
#
# The environment is built from requirements.lock, whose hashes pin every package, and rebuilt only when that file or
# pyproject.toml changes. Programs are run as modules of the environment, so that nothing has to be activated.

.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
# A process that finds no compiled modules compiles all of them: a second more for each of the many that tests start.
unexport PYTHONDONTWRITEBYTECODE

# Python 3.11 is what the lock is made and tested with; a newer one is taken where 3.11 is not installed.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/ready
# Errors alone are shown: what else pip says is about this machine's settings, not about Arbiter.
PIP_INSTALL := $(PY) -m pip install --quiet --quiet --disable-pip-version-check

# The smallest machine we test on has two cores; a third process works while another waits for a service to start.
TEST_PROCESSES ?= 3
# The board of a new game.
GRID ?= hex
# The queues that `make worker` serves.
QUEUES ?= simulations
# Handed on to the program behind a target: make test ARGS="tests/house -x"
ARGS ?=

##@ Use it

.PHONY: help
help: ## List what make can do
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf '\nThe service is set by variables of the environment: make settings lists them.\n'

.PHONY: serve
serve: $(READY) ## Start the whole service: PORT=8000, REDIS_URL=... for a Redis of your own
	@$(PY) -m cli.serve

.PHONY: settings
settings: $(READY) ## List the variables that set the service, with their defaults
	@$(PY) -m api.settings

##@ Change it

.PHONY: env
env: $(READY) ## Make the environment in .venv, if it is missing or stale

# A link to a Python that is gone counts as missing, so an upgraded system gets a fresh environment.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Arbiter needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }

# The project itself goes in last and without a look at any index: its build tool is one of the locked packages.
$(READY): $(PY) requirements.lock pyproject.toml
	@echo "Installing what requirements.lock names into $(VENV); this takes about a minute, once."
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@$(PIP_INSTALL) --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: test
test: $(READY) ## Run every test: ARGS="tests/house -x" narrows it
	$(PY) -m pytest -n $(TEST_PROCESSES) $(ARGS)

# Beside what the lock names it takes the extra `browser`, which is installed when it is first needed, and Chromium.
.PHONY: browser
browser: $(READY) ## Test the pages in Debian's Chromium: ARGS="-k replay" narrows it
	@$(PY) -c 'import axe_playwright_python, pytest_playwright' 2>/dev/null || $(PIP_INSTALL) --no-build-isolation --editable '.[browser]'
	ARBITER_BROWSER=1 $(PY) -m pytest tests/browser $(ARGS)

# Each part goes on to the next only when it is content, cheapest first.
.PHONY: check
check: $(READY) ## Look for faults without running: style, types, the contract, licences, known vulnerabilities
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(MAKE) --no-print-directory openapi-check
	$(PY) -m upkeep.licences --check
	$(PY) -m upkeep.tables --check
	$(PY) -m upkeep.javascript
	$(MAKE) --no-print-directory audit

# Where the advisories cannot be reached this only says so; AUDIT=strict make audit fails, for the day of a release.
.PHONY: audit
audit: $(READY) ## Look for known vulnerabilities in what the service is installed with
	@$(PY) -m upkeep.audit

.PHONY: format
format: $(READY) ## Bring the code into the house's style
	$(PY) -m ruff check --fix
	$(PY) -m ruff format

.PHONY: new-game
new-game: $(READY) ## Begin a game: NAME="My Game" GRID=hex, square-4, square-8 or plane
	@$(PY) -m upkeep.new_game "$(NAME)" --grid "$(GRID)"

.PHONY: rules
rules: $(READY) ## Write a stub for each passage of a game without a rule: GAME=my-game
	@$(PY) -m upkeep.stubs "$(GAME)"

# Several workers may run side by side on one machine; each has a name of its own.
.PHONY: worker
worker: $(READY) ## Start one more worker for the Redis that REDIS_URL names: QUEUES=long for another queue
	@test -n "$(REDIS_URL)" || { echo "Say which Redis: REDIS_URL=redis://... make worker"; exit 1; }
	exec $(PY) -m celery --quiet --app workers.app worker --without-gossip --without-mingle --without-heartbeat \
		--queues $(QUEUES) --hostname "$$$$@%h" --loglevel info

##@ Write what is written by a program

.PHONY: openapi
openapi: $(READY) ## Write openapi.yaml and openapi/ from the registry
	$(PY) -m upkeep.contract

.PHONY: openapi-check
openapi-check: $(READY) ## Compare openapi.yaml and openapi/ with the registry
	$(PY) -m upkeep.contract --check

.PHONY: licences
licences: $(READY) ## Write docs/licences.md from what is installed
	$(PY) -m upkeep.licences

.PHONY: pictures
pictures: $(READY) ## Draw the pictures of the documentation anew
	$(PY) -m upkeep.pictures

.PHONY: tables
tables: $(READY) ## Write the scenes that the page /table opens with, from the stories in examples/
	$(PY) -m upkeep.tables

.PHONY: sources
sources: $(READY) ## Show how much of each game's text is ruled, and what is open
	$(PY) -m arbiter.sources.coverage $(ARGS)

.PHONY: sentences
sentences: $(READY) ## Print every sentence that the worked examples make a referee say
	@$(PY) -m upkeep.sentences

.PHONY: transcripts
transcripts: $(READY) ## Write the golden transcripts anew, to be read as a diff
	$(PY) -m pytest tests/transcripts --rewrite $(ARGS)

# The public index alone is asked, whatever this machine's pip is told otherwise, so that the hashes are those of the
# public files; the file names no address. Pins stay as they are unless ARGS=--upgrade or ARGS="--upgrade-package x".
COMPILE := PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= CUSTOM_COMPILE_COMMAND="make lock" $(PY) -m piptools compile \
	--quiet --generate-hashes --all-build-deps --strip-extras --allow-unsafe --no-config \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# The second file is the first without what only developers need; the image is built from it.
.PHONY: lock
lock: $(READY) ## Pin every dependency with its hashes: ARGS=--upgrade takes newer ones
	$(COMPILE) $(ARGS) --extra dev --output-file requirements.lock pyproject.toml
	$(COMPILE) --constraint requirements.lock --output-file requirements-runtime.lock pyproject.toml

##@ Measure and tidy

.PHONY: bench
bench: $(READY) ## Race against peers and print the ratios
	$(PY) -m benchmarks $(ARGS)

# Ten minutes on a quiet machine; REQUESTS=20000 for a quicker look.
REQUESTS ?= 100000
.PHONY: memory
memory: $(READY) ## Ask a gateway 100,000 questions and see whether its processes grow
	$(PY) -m benchmarks.memory $(REQUESTS)

.PHONY: lookup
lookup: $(READY) ## Measure how well look-ups find what players ask: ARGS="stargrave --misses"
	$(PY) -m upkeep.lookup $(ARGS)

.PHONY: clean
clean: ## Take away whatever make made, the environment too
	rm -rf $(VENV) run build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
