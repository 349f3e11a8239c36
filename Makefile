PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test package docs clean

demo: $(VENV)/installed
	$(BIN)/nsightlens demo

test: $(VENV)/developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

# docs/frames.md from nsightlens/schema.py, docs/models.md from nsightlens/models/
docs: $(VENV)/installed
	$(BIN)/python docs/make_frames.py
	$(BIN)/python docs/make_models.py

# Builds the sdist, the wheel from it, and runs the wheel's command in an environment of its own.
package: $(VENV)/developed
	rm -rf build dist $(VENV)-wheel
	$(BIN)/python -m build --outdir dist . > dist.log 2>&1 || (cat dist.log; exit 1)
	$(BIN)/python -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet dist/*.whl
	cd dist && ../$(VENV)-wheel/bin/nsightlens demo > /dev/null && test -s nsightlens-demo/roofline.png
	rm -rf $(VENV)-wheel dist.log

# The marks stand for an installation of the present pyproject.toml.
$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV); this takes a minute or two."
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/developed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV); this takes a minute or two."
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/installed

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nsightlens needs Python 3.11 or later: make PYTHON=python3.11 ...")'
	@$(PYTHON) -m venv $(VENV) || (rm -rf $(VENV); echo 'python3 -m venv failed; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1)

clean:
	rm -rf $(VENV) $(VENV)-wheel build dist *.egg-info nsightlens-demo .mypy_cache .ruff_cache .pytest_cache
