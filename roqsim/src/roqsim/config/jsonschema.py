"""JSON Schema of configuration classes, so that editors complete and check a world."""

from __future__ import annotations

import dataclasses
import types
import typing

from roqsim.config.fields import FieldInfo, Rule, fields_of, is_union, literals

_SCALARS = {int: "integer", float: "number", str: "string", bool: "boolean"}


def object_schema(cls: type) -> dict[str, object]:
    """The schema of a configuration: its keys, which of them are required, and nothing else allowed."""
    fields = fields_of(cls)
    schema: dict[str, object] = {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return {**schema, "required": required} if required else schema


def _property(field: FieldInfo) -> dict[str, object]:
    schema = type_schema(field.type, field.rule)
    text = f"{field.doc} [{field.unit}]" if field.unit else field.doc
    if text:
        schema["description"] = text
    if not field.required and _is_plain(field.default):
        schema["default"] = _as_json(field.default)
    return schema


def _as_json(value: object) -> object:
    return [_as_json(item) for item in value] if isinstance(value, tuple) else value


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_is_plain(item) for item in value)
    return isinstance(value, bool | int | float | str)


def type_schema(kind: object, rule: Rule) -> dict[str, object]:
    """The schema of one type with its rule."""
    if kind in (typing.Any, object):
        return {}
    if literals(kind) and not is_union(kind):
        return {"enum": list(literals(kind))}
    if is_union(kind):
        return _union_schema(kind, rule)
    if hasattr(kind, "json_schema") and not isinstance(kind, types.GenericAlias):
        return kind.json_schema()
    if dataclasses.is_dataclass(kind):
        return object_schema(kind)
    origin = typing.get_origin(kind)
    if origin in (tuple, list):
        return _list_schema(kind, rule)
    if origin is dict:
        return {"type": "object", "additionalProperties": type_schema(typing.get_args(kind)[1], rule)}
    if kind not in _SCALARS:
        return {}
    if rule.choices:
        return {"enum": list(rule.choices)}
    limits = {
        "minimum": rule.ge,
        "exclusiveMinimum": rule.gt,
        "maximum": rule.le,
        "exclusiveMaximum": rule.lt,
        "minLength": 1 if kind is str and not rule.empty else None,
    }
    return {"type": _SCALARS[kind], **{key: bound for key, bound in limits.items() if bound is not None}}


def _union_schema(kind: object, rule: Rule) -> dict[str, object]:
    members = [m for m in typing.get_args(kind) if m is not types.NoneType]
    schemas = [type_schema(member, rule) for member in members]
    if len(members) < len(typing.get_args(kind)):
        schemas.append({"type": "null"})
    return {"anyOf": schemas} if {} not in schemas else {}


def _list_schema(kind: object, rule: Rule) -> dict[str, object]:
    arguments = typing.get_args(kind)
    inner = dataclasses.replace(rule, length=None)
    if typing.get_origin(kind) is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis):
        items = [type_schema(each, inner) for each in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    schema: dict[str, object] = {"type": "array", "items": type_schema(arguments[0], inner)}
    if rule.length is not None:
        least, most = (rule.length, rule.length) if isinstance(rule.length, int) else rule.length
        schema |= {"minItems": least, "maxItems": most}
    return schema
