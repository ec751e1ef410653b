"""What the guards look at: the tree's own text files, and those of them that are Python."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = {"build", "dist", "reference", "_build", "__pycache__"}


@dataclass(frozen=True)
class Source:
    """A text file of the tree."""

    path: Path
    text: str

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def lines(self) -> list[str]:
        """The file's lines without their ends."""
        return self.text.splitlines()

    @property
    def is_test(self) -> bool:
        """Whether the file lies under tests/."""
        return self.path.is_relative_to(ROOT / "tests")

    @cached_property
    def tree(self) -> ast.Module:
        """The file's syntax tree (Python files only)."""
        return ast.parse(self.text, filename=str(self))


def text_files(root: Path) -> list[Source]:
    """Every UTF-8 file under a folder that is neither generated nor installed."""
    found = []
    for folder, subfolders, names in os.walk(root):
        hidden = {name for name in subfolders if name.startswith(".") and name != ".ci"}
        subfolders[:] = sorted(set(subfolders) - hidden - GENERATED)
        for name in sorted(names):
            path = Path(folder, name)
            if name == "uv.lock" or path.suffix == ".log" or path.is_symlink():
                continue
            try:
                found.append(Source(path, path.read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                continue
    return found


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def tree() -> list[Source]:
    """Every text file of the repository."""
    return text_files(ROOT)


@pytest.fixture(scope="session")
def modules(tree: list[Source]) -> list[Source]:
    """Every Python file of the repository."""
    return [source for source in tree if source.path.suffix == ".py"]
