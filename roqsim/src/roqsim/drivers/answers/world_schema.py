"""The JSON Schema (draft 2020-12) of a world document, with the plugins that are installed here."""

from __future__ import annotations

import inspect

from roqsim.config.schema import json_schema
from roqsim.config.sim import SimOptions
from roqsim.drivers.answers.catalog import first_sentence
from roqsim.errors import RoqsimError
from roqsim.registry import PLUGINS, entries, resolve_plugin

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, object]


def world_schema() -> Schema:
    """Composes the schema.

    A component that is nested in another one may leave out required keys, because the manifest of the model it
    belongs to can fill them. A plugin that cannot be loaded accepts any configuration, and its description says why.
    """
    names = sorted({entry.name for entry in entries(PLUGINS)})
    configs = {name: _config(name) for name in names}
    return {
        "$schema": DIALECT,
        "title": "A roqsim world",
        "type": "object",
        "properties": {
            "sim": _or_null(json_schema(SimOptions))
            | {"description": "How the world is stepped, and where it starts from."},
            "components": _list_of("#/$defs/component", "What the world is made of, in build order."),
            "extends": {
                "type": ["string", "null"],
                "description": "The world to inherit from: a path or package:world.",
            },
            "disable": {
                "anyOf": [{"type": ["string", "null"]}, {"type": "array", "items": {"type": "string"}}],
                "description": "Inherited components to leave out, by address or name.",
            },
        },
        "additionalProperties": False,
        "dependentRequired": {"disable": ["extends"]},
        "$defs": {
            "component": _entry(names, {name: configs[name].get("required", []) for name in names}),
            "nested": _entry(names, {}),
            **{f"plugin.{name}": _without_required(config) for name, config in configs.items()},
        },
    }


def _config(name: str) -> Schema:
    """The configuration of one plugin as a schema."""
    try:
        plugin = resolve_plugin(name)
    except RoqsimError as error:
        return {"description": f"Cannot be loaded: {error}"}
    schema = json_schema(plugin.Config) if plugin.Config is not None else {"type": "object"}
    return schema | {"description": first_sentence(inspect.getdoc(plugin) or "")}


def _without_required(config: Schema) -> Schema:
    schema = {key: value for key, value in config.items() if key != "required"}
    return _or_null(schema) if "type" in schema else schema


def _or_null(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"]}


def _list_of(ref: str, description: str) -> Schema:
    return {"type": ["array", "null"], "items": {"$ref": ref}, "description": description}


def _entry(names: list[str], required: dict[str, list[str]]) -> Schema:
    """One entry: exactly one plugin ref beside the reserved keys, or a bare ref.

    Args:
        names: The short names of the plugins; a ref with a colon may stand for any other one.
        required: For each name, the keys its configuration must have.
    """
    properties: Schema = {
        "name": {
            "type": ["string", "null"],
            "pattern": "^[^.]+$",
            "description": "What overrides and siblings call it.",
        },
        "components": _list_of("#/$defs/nested", "What belongs to it."),
        "enabled": {"type": ["boolean", "null"], "description": "False leaves it and all that belongs to it out."},
        "present": {"type": ["boolean", "null"], "description": "False lets its entity start absent."},
    }
    for name in names:
        demanded = required.get(name)
        reference = {"$ref": f"#/$defs/plugin.{name}"}
        properties[name] = reference | {"type": "object", "required": demanded} if demanded else reference
    by_name: list[Schema] = [{"required": [name]} for name in names]
    has_colon = {"not": {"propertyNames": {"not": {"pattern": ":"}}}}
    mapping = {
        "type": "object",
        "properties": properties,
        "patternProperties": {":": {"type": ["object", "null"]}},
        "additionalProperties": False,
        "oneOf": [*by_name, has_colon],
    }
    bare = [name for name in names if not required.get(name)]
    return {"if": {"type": "string"}, "then": {"anyOf": [{"enum": bare}, {"pattern": ":"}]}, "else": mapping}
