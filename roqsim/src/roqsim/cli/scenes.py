"""``roqsim scenes``: what a world is made of and what it provides, as one line of JSON for other programs."""

from __future__ import annotations

import click

from roqsim.cli.arguments import override_option, print_json, stdout_kept, target_argument
from roqsim.cli.group import SuggestingGroup


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Tell another program about a world, in one line of JSON."""


@command.command()
@target_argument
@click.option("--require-complete", is_flag=True, help="Fail where the list cannot be known to be whole.")
def inputs(target: str, require_complete: bool) -> None:
    """List the files that must travel with a world.

    The reply has the keys world, packaged and inputs, the latter with absolute paths. What installed packages bring
    is left out; packaged is true where the world itself is part of one.
    """
    from roqsim.drivers.answers.inputs import world_inputs

    with stdout_kept():
        found = world_inputs(target)
    for gap in found.gaps:
        click.echo(gap, err=True)
    if require_complete and found.gaps:
        raise click.exceptions.Exit(2)
    print_json(found.as_dict())


@command.command()
@target_argument
@override_option
@click.option("--entities", is_flag=True, help="Compile the world and list its entities.")
@click.option("--body-tree", metavar="GLOB", help="Compile the world and show what hangs on the bodies of these names.")
@click.option("--overridable", metavar="GLOB", help="Compile the world and list what a run can change by these names.")
def describe(
    target: str, overrides: tuple[str, ...], entities: bool, body_tree: str | None, overridable: str | None
) -> None:
    """Describe what a world provides.

    The reply holds its components with their addresses and keys, the fields that model_override can change, and on
    demand its entities and the objects whose fields can be changed. A world that loads but does not compile is answered
    in part: errors.build says why, and the exit status is 2.
    """
    from roqsim.drivers.answers.describe import describe_world

    with stdout_kept():
        reply = describe_world(
            target, overrides=overrides, entities=entities, body_tree=body_tree, overridable=overridable
        )
    print_json(reply)
    if reply["dropped_transport"]:
        click.echo(f"described without transport: dropped {', '.join(reply['dropped_transport'])}", err=True)
    if reply["errors"]:
        for stage, reason in reply["errors"].items():
            click.echo(f"{stage}: {reason}", err=True)
        raise click.exceptions.Exit(2)
