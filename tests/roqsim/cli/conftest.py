"""The command line in this process, and packages that exist for one test."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from roqsim.cli import main


@pytest.fixture
def cli(monkeypatch):
    """Calls a command line: ``cli("check", path)`` gives output, error text and exit status."""
    monkeypatch.delenv("ROQSIM_TRACEBACK", raising=False)
    monkeypatch.delenv("ROQSIM_WORLD_OVERRIDES", raising=False)

    def run(*words: object) -> Result:
        return CliRunner().invoke(main, [str(word) for word in words], prog_name="roqsim")

    return run


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Makes a package importable and announced: ``installed("pkg", {group: {name: value}}, **{"file": text})``."""

    def install(package: str, groups: dict[str, dict[str, str]], version: str = "1.0", **files: str) -> Path:
        root = tmp_path / f"site_{package}"
        folder = root / package
        folder.mkdir(parents=True)
        for name, text in {"__init__": "", **files}.items():
            (folder / f"{name}.py").write_text(text)
        info = root / f"{package}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()]
        (info / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.syspath_prepend(root)
        importlib.invalidate_caches()
        return folder

    yield install
    for name in [
        name for name in sys.modules if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path))
    ]:
        del sys.modules[name]
