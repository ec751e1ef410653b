# demo · test · check · bench · docs · pictures, each from nothing: only python3 (3.11 or newer) has to be there.
# ARGS goes to the program a target runs: make test ARGS="-k lidar"

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PROJECTS := pyproject.toml $(wildcard roqsim*/pyproject.toml)

UV := $(shell command -v uv 2>/dev/null)
ifeq ($(UV),)
UV := .boot/bin/uv
# A machine that never had uv keeps its package index in pip's settings; uv reads only its own.
INDEX = $$(.boot/bin/pip config get global.index-url 2>/dev/null || .boot/bin/pip config get user.index-url 2>/dev/null)
SYNC_ENV = UV_DEFAULT_INDEX="$${UV_DEFAULT_INDEX:-$${UV_INDEX_URL:-$${PIP_INDEX_URL:-$(INDEX)}}}"
endif

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs pictures ready clean

help:
	@echo "make demo    install, then drive a TurtleBot 4 through a furnished room"
	@echo "make test    the whole test suite, the guide's examples included"
	@echo "make check   lint, formatting, import layers and the other guards"
	@echo "make bench   the performance budget as ratios to bare MuJoCo"
	@echo "make docs    the manual, in docs/_build/html, and as plain pages in docs/_build/pages"
	@echo "make pictures  the manual's pictures anew, in docs/images; name some with ARGS"

demo: $(READY)
	$(BIN)/roqsim sim roqsim_mobile:turtlebot4_room --headless --pacing asap $(ARGS)

test: $(READY)
	$(BIN)/pytest -n auto --dist loadfile -m "not screen" $(ARGS)
	$(BIN)/pytest -q -m screen $(ARGS) || [ $$? -eq 5 ]  # 5: none of them was asked for

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest -q -m "not slow" tests/guards $(ARGS)

bench: $(READY)
	$(BIN)/python tests/benchmarks/budget.py $(ARGS)

docs: $(READY)
	$(BIN)/sphinx-build -E -W --keep-going -q -b html -d docs/_build/doctrees docs docs/_build/html $(ARGS)
	$(BIN)/sphinx-build -W --keep-going -q -b pages -d docs/_build/doctrees docs docs/_build/pages
	$(BIN)/pytest -q docs
	@echo "open docs/_build/html/index.html"

pictures: $(READY)
	$(BIN)/python docs/_ext/gallery.py $(ARGS)

ready: $(READY)

$(READY): $(PROJECTS) | $(UV)
	$(SYNC_ENV) UV_PROJECT_ENVIRONMENT=.venv $(UV) sync
	@touch $@

.boot/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "python: expected 3.11 or newer, got $$($(PYTHON) --version); name another with make PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
	    { echo "python: expected the module 'ensurepip', got none; install your system's python3-venv package" >&2; exit 2; }
	$(PYTHON) -m venv .boot
	.boot/bin/pip install --quiet uv

clean:
	rm -rf .venv .boot uv.lock build dist docs/_build docs/reference
