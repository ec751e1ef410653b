"""``roqsim catalog``: what is installed, what a model is made of, and which keys a plugin takes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from roqsim.cli.arguments import json_option, print_json, stdout_kept
from roqsim.cli.completion import complete_model
from roqsim.cli.group import SuggestingGroup


@click.group(cls=SuggestingGroup)
def command() -> None:
    """List the installed plugins, models and worlds."""


@command.command()
@json_option
def plugins(as_json: bool) -> None:
    """List the plugins that a world can name."""
    from roqsim.drivers.answers import catalog

    _show(catalog.plugins(), as_json)


@command.command()
@json_option
def models(as_json: bool) -> None:
    """List the models that a world can spawn.

    The names in brackets are the components that a model brings.
    """
    from roqsim.drivers.answers import catalog

    _show(catalog.models(), as_json)


@command.command()
@json_option
def worlds(as_json: bool) -> None:
    """List the worlds of the installed packages."""
    from roqsim.drivers.answers import catalog

    _show(catalog.worlds(), as_json)


@command.command()
@click.argument("name", shell_complete=complete_model)
@click.option(
    "--thumbnail", metavar="FILE", type=click.Path(path_type=Path), help="Write a picture of it (.png, .jpg)."
)
@json_option
def model(name: str, thumbnail: Path | None, as_json: bool) -> None:
    """Describe a model.

    It lists actuators, joints, sensors and frames by the names that a world uses. NAME is a model's name,
    package:name, menagerie:name, or the path of an MJCF file. A thumbnail is what "roqsim render" makes of it, in a
    square.
    """
    from roqsim.drivers.answers.model_sheet import model_sheet

    sheet = model_sheet(name)
    if thumbnail is not None:
        from roqsim.drivers.pictures.thumbnail import make_thumbnail

        with stdout_kept():
            make_thumbnail(name, thumbnail)
        sheet["thumbnail"] = str(thumbnail)
    if as_json:
        print_json(sheet)
    else:
        click.echo("\n".join(_sheet_lines(sheet)))


@command.command()
@click.argument("name")
@json_option
def plugin(name: str, as_json: bool) -> None:
    """Describe the keys that a plugin takes.

    NAME is a short name, module:Class, or file.py:Class.
    """
    from roqsim.drivers.answers.plugin_sheet import plugin_sheet, sheet_lines

    with stdout_kept():
        sheet = plugin_sheet(name)
    if as_json:
        print_json(sheet)
    else:
        click.echo("\n".join(sheet_lines(sheet)))


def _show(items: Iterable[dict[str, object]], as_json: bool) -> None:
    from roqsim.drivers.answers import catalog

    with stdout_kept():
        listed = list(items)
    if as_json:
        print_json({"items": listed})
    else:
        width = max((len(str(item["ref"])) for item in listed), default=0)
        for item in listed:
            click.echo(f"{item['ref']:<{width}}  {_remark(item)}".rstrip())
    for reason in catalog.broken_providers():
        click.echo(reason, err=True)


def _remark(item: dict[str, object]) -> str:
    if "error" in item:
        return f"(broken) {item['error']}"
    brought = ", ".join(str(component["address"]) for component in item.get("components", ()))
    return f"{item['summary']}" + (f" [{brought}]" if brought else "")


def _sheet_lines(sheet: dict[str, object]) -> Iterable[str]:
    yield f"{sheet['ref']}: {sheet['summary']}".removesuffix(": ")
    for key in ("path", "license", "source"):
        yield click.wrap_text(sheet[key] or "not stated", 100, f"  {key:<8} ", " " * 11)
    if "thumbnail" in sheet:
        yield f"  picture  {sheet['thumbnail']}"
    yield f"  {'mass':<8} {sheet['mass']:.6g} kg"
    rows = {
        "actuators": [_actuator_row(actuator) for actuator in sheet["actuators"]],
        "joints": [[j["name"], j["type"], f"moves {j['body']}", _range("", j["range"])] for j in sheet["joints"]],
        "sensors": [[s["name"], s["type"], f"on {s['object']}" if s["object"] else ""] for s in sheet["sensors"]],
        "sites": [[name] for name in sheet["sites"]],
        "frames": [[name] for name in sheet["frames"]],
        "cameras": [[name] for name in sheet["cameras"]],
        "components": [[c["address"], "" if c["ref"] == c["address"] else c["ref"]] for c in sheet["components"]],
    }
    for title, cells in rows.items():
        if cells:
            yield f"{title}:"
            yield from _aligned(cells)


def _actuator_row(actuator: dict[str, object]) -> list[str]:
    joints = ", ".join(actuator["joints"]) or "no joint"
    ranges = [_range("control", actuator["control_range"]), _range("force", actuator["force_range"])]
    return [actuator["name"], actuator["kind"], f"drives {joints}", *ranges]


def _range(title: str, ends: list[float] | None) -> str:
    return f"{title} {ends[0]:.6g} to {ends[1]:.6g}".strip() if ends else ""


def _aligned(rows: list[list[str]]) -> Iterable[str]:
    widths = [max(len(row[i] or "(unnamed)") for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [f"{(cell or '(unnamed)') if i == 0 else cell:<{widths[i]}}" for i, cell in enumerate(row)]
        yield "  " + "  ".join(cells).rstrip()
