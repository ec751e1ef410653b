"""The manual's examples run.

Blocks marked ``yaml``, ``py`` or ``osc`` become files, named by their first line's comment; ``python`` blocks are
executed. In a ``console`` block a line ``$ command`` runs; the lines under it are the expected output (``...`` stands
for any text), and ``# exit status N`` states a status other than 0.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

STATUS = re.compile(r"^# exit status (\d)\n?", re.M)


def enter_folder(namespace: dict) -> None:
    """Give a document an empty folder to work in."""
    namespace["folder"] = tempfile.TemporaryDirectory()
    namespace["came_from"] = os.getcwd()
    os.chdir(namespace["folder"].name)


def leave_folder(namespace: dict) -> None:
    """Take the document's folder away again."""
    os.chdir(namespace["came_from"])
    namespace["folder"].cleanup()


def write_file(example: Example) -> str | None:
    """Write a YAML, Python or scenario block that names its file."""
    name = re.match(r"# (\S+\.(?:yaml|py|osc))\b", example.parsed)
    if name is None:
        return f"expected a first line like '# world.yaml', got {example.parsed.partition(chr(10))[0]!r}"
    path = Path(name.group(1))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example.parsed, encoding="utf-8")
    return None


def run_commands(example: Example) -> str | None:
    """Run the commands of a console block and compare what they print."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for part in re.split(r"^\$ ", example.parsed, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        stated = STATUS.search(expected)
        expected = STATUS.sub("", expected).strip()
        run = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
        printed = (run.stdout + run.stderr).strip()
        if run.returncode != (int(stated.group(1)) if stated else 0):
            return f"{command}: exit status {run.returncode}\n{printed}"
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        if expected and not doctest.OutputChecker().check_output(expected, printed, flags):
            return f"{command}\nexpected:\n{expected}\ngot:\n{printed}"
    return None


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser(language="yaml", evaluator=write_file),
        CodeBlockParser(language="py", evaluator=write_file),
        CodeBlockParser(language="osc", evaluator=write_file),
        CodeBlockParser(language="console", evaluator=run_commands),
    ],
    patterns=["*.md"],
    setup=enter_folder,
    teardown=leave_folder,
).pytest()
