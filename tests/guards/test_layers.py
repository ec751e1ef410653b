"""Who may import whom: import-linter's contracts (pyproject.toml) and the plugin API."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

PLUGIN_API = {
    *("plugin", "context", "bridge", "mj", "errors", "config.schema", "config.pose", "config.angle"),
    *("config.entries", "config.nodes"),
    *("raycast", "presence", "rates", "seed", "controllers", "manifest", "config.manifest", "models", "policy"),
    *("command_value", "entities", "forces", "lookup", "model_values", "runtime_options", "sensing", "spawning"),
}
PUBLIC_NAMES = {"Plugin", "SimContext", "Endpoint", "Entity", "RobotHandle"}


OUTSIDE_THE_LAYERS = {"roqsim.plugins", "roqsim.testing", "roqsim.scenario_adapter", "roqsim.render_overlays"}
OUTSIDE_THE_LAYERS |= {"roqsim.introspection", "roqsim.catalog", "roqsim.schema"}


def imports(tree: ast.Module) -> list[tuple[int, str, str | None]]:
    """(line, module, imported name) of every import statement; the name is None for ``import module``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found += [(node.lineno, node.module, alias.name) for alias in node.names]
    return found


def is_plugin_api(module: str, name: str | None) -> bool:
    """Whether a plugin may write this import."""
    if module == "roqsim":
        return name in PUBLIC_NAMES or name in PLUGIN_API
    inner = module.removeprefix("roqsim.")
    candidates = {inner, f"{inner}.{name}", *(inner[:i] for i, letter in enumerate(inner) if letter == ".")}
    return bool(candidates & PLUGIN_API)


def test_the_import_layers_hold(root):
    program = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([program, "--no-cache"], cwd=root, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_room_of_the_core_has_its_layer(root):
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["name"] == "the rooms of the core")
    placed = {name for layer in layers for name in re.findall(r"roqsim[\w.]*", layer)}
    core = root / "roqsim" / "src" / "roqsim"
    rooms = {
        f"roqsim.{path.stem}" for path in core.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    rooms |= {f"roqsim.config.{path.stem}" for path in (core / "config").glob("*.py")}
    rooms -= {"roqsim.__init__", "roqsim.config", "roqsim.config.__init__"}
    assert sorted(rooms - placed - OUTSIDE_THE_LAYERS) == []


def test_the_manual_names_every_room_of_the_core_and_no_other(root):
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    told = {name for row in re.findall(r"^\| (`.*?`) \|", page, re.M) for name in re.findall(r"`(\w+)`", row)}
    core = root / "roqsim" / "src" / "roqsim"
    rooms = {path.stem for path in core.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert told == rooms - {"__init__", "__main__", "plugins", "testing"}
    assert {"`plugins`", "`testing`"} <= set(re.findall(r"`\w+`", page))


def test_plugins_and_sibling_packages_import_only_the_plugin_api(root, modules):
    outside = []
    for source in modules:
        parts = source.path.relative_to(root).parts
        is_sibling = parts[0].startswith("roqsim_") and "src" in parts
        if not is_sibling and parts[:4] != ("roqsim", "src", "roqsim", "plugins"):
            continue
        for line, module, name in imports(source.tree):
            if module.split(".")[0] == "roqsim" and not is_plugin_api(module, name):
                outside.append(f"{source}:{line}: {module}" + (f".{name}" if name else ""))
    assert not outside, "expected imports from the plugin API only, got:\n" + "\n".join(outside)


def test_relative_imports_do_not_hide_a_layer(modules):
    relative = [
        f"{source}:{node.lineno}"
        for source in modules
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.level > 1
    ]
    assert not relative, "expected absolute imports across rooms, got:\n" + "\n".join(relative)


def test_the_plugin_api_is_told_from_the_rest():
    assert is_plugin_api("roqsim.config.schema", "need")
    assert is_plugin_api("roqsim.mj.names", "body_id")
    assert is_plugin_api("roqsim", "Plugin")
    assert not is_plugin_api("roqsim.engine", "Engine")
    assert not is_plugin_api("roqsim.config", "load_config")
    assert not is_plugin_api("roqsim", None)
