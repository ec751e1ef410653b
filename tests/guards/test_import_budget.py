"""`import roqsim` and every help page stay light: a set of modules, not a stopwatch."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ["PIL", "mujoco", "numpy", "yaml"]

IMPORT = """
import json, sys
import roqsim
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""

# Walks the whole command tree in one process and notes, page by page, what has been loaded by then.
HELP_PAGES = """
import contextlib, io, json, sys
import click
from roqsim.cli import main

def page(*words):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            main([*words, "--help"])
        except SystemExit as stop:
            assert not stop.code, (words, stop.code)
    loaded = sorted({name.split(".")[0] for name in sys.modules})
    return {"words": words, "text": text.getvalue(), "loaded": loaded}

def walk(command, words):
    yield page(*words)
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                yield from walk(command.get_command(context, name), (*words, name))

group = main if isinstance(main, click.Group) else sys.modules["roqsim.cli"].group
print(json.dumps(list(walk(group, ()))))
"""


def reply(program: str):
    """What a fresh interpreter prints as JSON when it runs this program."""
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def pages():
    """Every help page of the command line: words, text, top-level modules loaded by then."""
    return reply(HELP_PAGES)


def test_importing_roqsim_loads_nothing_heavy():
    loaded = reply(IMPORT)
    assert "roqsim" in loaded
    assert not set(loaded) & set(HEAVY)


def test_no_help_page_loads_anything_heavy(pages):
    heavy = {" ".join(page["words"]) or "roqsim": sorted(set(page["loaded"]) & set(HEAVY)) for page in pages}
    assert not {words: names for words, names in heavy.items() if names}


def test_every_command_of_the_manual_has_a_help_page(pages):
    have = {" ".join(page["words"]) for page in pages}
    want = {"sim", "render", "check", "catalog plugins", "catalog models", "catalog worlds", "catalog model"}
    want |= {"scenes inputs", "scenes describe", "schema", "doctor"}
    want |= {"import urdf", "export urdf", "export srdf"}
    assert want <= have


def test_every_help_page_says_what_its_command_does(pages):
    silent = [page["words"] for page in pages if len(page["text"].strip().splitlines()) < 3]
    assert not silent
