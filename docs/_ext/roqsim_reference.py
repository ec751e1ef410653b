"""Directives that write the reference from what is installed: config classes, plugins, models, worlds, commands.

Each composes Markdown and hands it to the page's own parser, so the reference looks like the rest of the manual.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.resources
import inspect
import json
import re
import typing
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import click
import yaml
from docutils import nodes
from docutils.statemachine import StringList
from roqsim.cli import main
from roqsim.config.schema import FieldInfo, describe, fields_of
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PARAMETER = re.compile(r"(\w+): ([^=#]+?)(?: = ([^#]+?))?\s+# (.*)")
"""A parameter of an action: name, type, default, meaning."""


def resolve(target: str) -> object:
    """The object that ``module:name`` names."""
    return EntryPoint("", target, "").load()


def cell(text: object) -> str:
    """A text as one table cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(text) for text in line) + " |" for line in lines)


def nested(kind: object) -> type | None:
    """The config class inside a type, such as the one whose list a field holds."""
    if dataclasses.is_dataclass(kind) and not hasattr(kind, "from_node"):
        return kind
    return next((found for argument in typing.get_args(kind) if (found := nested(argument))), None)


def default_text(field: FieldInfo) -> str:
    """What a field is where a document says nothing, as a document would write it."""
    if field.required:
        return "required"
    try:
        return "—" if field.default is None else f"`{json.dumps(field.default)}`"
    except TypeError:  # a default that is made of other configurations, whose own defaults have rows
        return "—"


def field_rows(config: type, path: str = "") -> list[list[str]]:
    """A table row per field, the fields of nested config classes under their own path."""
    rows = []
    for field in fields_of(config):
        inner = nested(field.type)
        rows.append([f"`{path}{field.name}`", describe(field.type, field.rule), default_text(field), field.doc])
        rows += field_rows(inner, f"{path}{field.name}.") if inner else []
    return rows


def field_table(config: type) -> str:
    """The fields of a config class as a table."""
    rows = field_rows(config)
    return table(["key", "value", "default", "meaning"], rows) if rows else "No keys."


def prose(docstring: str | None) -> str:
    """A docstring without its argument sections, as Markdown."""
    lines = inspect.cleandoc(docstring or "").replace("``", "`").splitlines()
    sections = [number for number, line in enumerate(lines) if line in {"Args:", "Attributes:", "Raises:", "Returns:"}]
    return "\n".join(lines[: sections[0]] if sections else lines)


def ours(group: str, package: str) -> list[EntryPoint]:
    """A package's entry points of one group, by name."""
    found = [entry for entry in entry_points(group=group) if entry.module.split(".")[0] == package]
    return sorted(found, key=lambda entry: entry.name)


class Generated(SphinxDirective):
    """A directive that stands for Markdown made from its argument."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse the composed Markdown where the directive stands."""
        source = self.get_source_info()[0]
        text = StringList(self.markdown(*self.arguments).splitlines(), source)
        return self.parse_text_to_nodes("\n".join(text), allow_section_headings=True)

    def markdown(self, target: str = "") -> str:
        """The Markdown that replaces the directive."""
        raise TypeError(f"{type(self).__name__}: expected a directive of its own, got the base class")


class Fields(Generated):
    """``{roqsim-fields} module:Class``: the keys of one config class."""

    def markdown(self, target: str = "") -> str:
        """The class's fields as a table."""
        return field_table(resolve(target))


class Plugins(Generated):
    """``{roqsim-plugins} package``: every plugin of a package with its keys."""

    def markdown(self, target: str = "") -> str:
        """A section per plugin."""
        parts = []
        for entry in ours("roqsim.plugins", target):
            plugin = entry.load()
            keys = field_table(plugin.Config) if plugin.Config else "Takes a plain mapping."
            parts += [f"### {entry.name}", prose(plugin.__doc__), keys]
        return "\n\n".join(parts)


class Models(Generated):
    """``{roqsim-models} package``: the models that a package brings."""

    def markdown(self, target: str = "") -> str:
        """Name, licence and source of each model."""
        rows = []
        for entry in ours("roqsim.models", target):
            for path in sorted(Path(importlib.import_module(entry.value).MODELS_DIR).glob("*/*.manifest.yaml")):
                manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
                rows.append([f"`{path.parent.name}`", str(manifest["license"]), str(manifest["source"])])
        return table(["model", "licence", "source of its numbers"], rows)


class Worlds(Generated):
    """``{roqsim-worlds} package``: the worlds that a package brings."""

    def markdown(self, target: str = "") -> str:
        """Name and first comment of each world."""
        rows = []
        for entry in ours("roqsim.worlds", target):
            for path in sorted(Path(importlib.import_module(entry.value).WORLDS_DIR).glob("*.yaml")):
                comment = path.read_text(encoding="utf-8").partition("\n")[0]
                rows.append([f"`{target}:{path.stem}`", comment.removeprefix("#").strip()])
        return table(["world", "what is in it"], rows)


class Actions(Generated):
    """``{roqsim-actions} package``: the actions that a package adds to scenarios, as its library declares them."""

    def markdown(self, target: str = "") -> str:
        """A section per action, with its parameters."""
        folder = importlib.resources.files(target) / "lib_osc"
        files = [path for path in folder.iterdir() if path.name.endswith(".osc")]
        text = "".join(path.read_text(encoding="ascii") for path in files).replace("<", "\\<")
        parts = []
        for name, block in sorted(re.findall(r"^action (\w+):\n((?:    .*\n?)+)", text, re.M)):
            first, *lines = block.strip().splitlines()
            rows = [PARAMETER.match(line.strip()).groups() for line in lines]
            cells = [
                [f"`{key}`", kind, f"`{default}`" if default else "required", doc] for key, kind, default, doc in rows
            ]
            parts += [f"### {name}", first.strip("# "), table(["parameter", "type", "default", "meaning"], cells)]
        return "\n\n".join(part for part in parts if part)


class Commands(Generated):
    """``{roqsim-commands}``: every command's usage and options."""

    def markdown(self, target: str = "") -> str:
        """A section per command."""
        return "\n\n".join(
            self.pages(
                root_command(), click.Context(root_command(), info_name="roqsim", **root_command().context_settings)
            )
        )

    def pages(self, command: click.Command, context: click.Context) -> list[str]:
        """The sections of a command and of all below it."""
        if not isinstance(command, click.Group):
            return [f"### {context.command_path}", f"```text\n{command.get_help(context)}\n```"]
        parts = []
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            parts += self.pages(child, click.Context(child, info_name=name, parent=context))
        return parts


def root_command() -> click.Group:
    """The command line's root group."""
    return main if isinstance(main, click.Group) else importlib.import_module("roqsim.cli").group


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    for directive in (Fields, Plugins, Models, Worlds, Actions, Commands):
        app.add_directive(f"roqsim-{directive.__name__.lower()}", directive)
    return {"parallel_read_safe": True}
