"""``roqsim schema``: the JSON Schema of a world, for editors and other programs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--out", "--output", "out", metavar="FILE", type=click.Path(path_type=Path), help="Write it to a file instead."
)
def command(out: Path | None) -> None:
    """Print the JSON Schema of a world.

    It knows every plugin that is installed. An editor with a YAML language server completes and checks a world that
    begins with the comment "# yaml-language-server: $schema=FILE".
    """
    import json

    from roqsim.cli.arguments import print_json, stdout_kept
    from roqsim.destination import new_file
    from roqsim.drivers.answers.world_schema import world_schema

    with stdout_kept():
        schema = world_schema()
    if out is None:
        print_json(schema)
        return
    with new_file(out, overwrite=True) as beside:
        beside.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
