"""The data sheet of a plugin: what it is and which keys its configuration takes, as plain data."""

from __future__ import annotations

import dataclasses
import inspect
import os
import typing
from pathlib import Path

from roqsim.config.fields import FieldInfo
from roqsim.config.schema import describe, fields_of, json_schema
from roqsim.drivers.answers.catalog import first_sentence, flags_of, kind_of
from roqsim.json_value import json_value
from roqsim.registry import PLUGINS, entries, resolve_plugin

Sheet = dict[str, object]


def plugin_sheet(ref: str, base_dir: str | os.PathLike[str] = ".") -> Sheet:
    """Describes a plugin.

    Args:
        ref: A short name, ``module:Class``, or ``file.py:Class``.
        base_dir: What a relative file starts from.

    Returns:
        ``name``, ``ref``, ``package``, ``class``, ``kind``, ``doc``, the flags of ``flags_of``, ``parameters`` (each
        with ``name``, ``type``, ``required``, ``default``, ``unit``, ``doc``; those of nested mappings follow under
        their dotted names), ``schema`` (the same without the nested ones, with a JSON Schema each; empty for a plugin
        that takes any mapping) and ``strict_keys``, which says that other keys are refused.

    Raises:
        NotFoundError: there is no such plugin.
        PluginError: it can't be loaded.
    """
    plugin = resolve_plugin(ref, Path(base_dir))
    entry = next((each for each in entries(PLUGINS) if each.name == ref), None)
    fields = fields_of(plugin.Config) if plugin.Config is not None else ()
    properties = json_schema(plugin.Config)["properties"] if plugin.Config is not None else {}
    return {
        "name": ref,
        "ref": ref,
        "package": entry.dist if entry is not None else "",
        "class": f"{plugin.__module__}:{plugin.__qualname__}",
        "kind": kind_of(plugin),
        "doc": inspect.getdoc(plugin) or "",
        **flags_of(plugin),
        "parameters": [row for field in fields for row in _rows(field)],
        "schema": [{**_row(field), "schema": json_value(properties[field.name])} for field in fields],
        "strict_keys": plugin.Config is not None,
    }


def sheet_lines(sheet: Sheet) -> list[str]:
    """A sheet for people."""
    rows = [["key", "value", "default", "meaning"]]
    for row in sheet["parameters"]:
        default = "required" if row["required"] else "" if row["default"] is None else str(row["default"])
        rows.append([row["name"], row["type"], default, row["doc"]])
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    head = [f"{sheet['name']} ({sheet['package'] or sheet['class']}): {first_sentence(sheet['doc'])}"]
    if len(rows) == 1:
        return [*head, "It takes no keys." if sheet["strict_keys"] else "It takes any mapping."]
    cells = [[*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]] for row in rows]
    return head + ["  ".join(row).rstrip() for row in cells]


def _rows(field: FieldInfo, path: str = "") -> list[Sheet]:
    name = f"{path}{field.name}"
    inner = _nested(field.type)
    return [
        _row(field, name),
        *(row for each in (fields_of(inner) if inner else ()) for row in _rows(each, f"{name}.")),
    ]


def _row(field: FieldInfo, name: str = "") -> Sheet:
    return {
        "name": name or field.name,
        "type": describe(field.type, field.rule),
        "required": field.required,
        "default": None if dataclasses.is_dataclass(field.default) else json_value(field.default),
        "unit": field.unit,
        "doc": field.doc,
    }


def _nested(kind: object) -> type | None:
    """The configuration class inside a type, such as the one whose list a field holds."""
    if dataclasses.is_dataclass(kind) and not hasattr(kind, "from_node"):
        return kind
    return next((found for argument in typing.get_args(kind) if (found := _nested(argument))), None)
