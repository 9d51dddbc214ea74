# Polyphony: `make help` lists what there is. Works with GNU make 3.81 and up, and in paths with spaces.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help install demo test test-fast coverage lint vendor lock schema benchmark

RUN := .venv/bin/python
# The first of these that is at least 3.11; PYTHON= takes precedence.
PYTHON ?=
KNOWN_PYTHONS := python3 python3.13 python3.12 python3.11 python3.14
DEMO_PEOPLE ?= 150
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

install: ## make .venv with everything pinned (again when the requirements change)
	@PYTHON="$(PYTHON)" KNOWN_PYTHONS="$(KNOWN_PYTHONS)" sh tools/install.sh

demo: install ## start everything with an example study and simulated participants (DEMO_PEOPLE=150)
	@$(RUN) manage.py demo --people "$(DEMO_PEOPLE)"

test: lint ## all gates, then the tests on SQLite and, where it answers, on PostgreSQL
	@sh tools/test.sh

test-fast: install ## the quick tests, on SQLite
	@DATABASE_URL= $(RUN) -m pytest -n 2 -m "not slow and not races and not e2e and not services"

coverage: install ## the quick tests, and which lines they did not reach
	@DATABASE_URL= .venv/bin/coverage run -m pytest -n 0 -q -m "not slow and not races and not e2e and not services"
	@.venv/bin/coverage report --skip-covered --show-missing

lint: install ## format, style, types, import directions, migrations, schema, deployment checks
	@sh tools/lint.sh

vendor: install ## fetch the vendored scripts again (needs npm)
	@$(RUN) tools/vendor.py

lock: install ## compile requirements/*.txt from pyproject.toml
	@sh tools/lock.sh

schema: install ## write docs/openapi.yaml from the code
	@$(RUN) manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

benchmark: install ## measure what the README claims about speed
	@$(RUN) -m benchmarks
