"""``roqsim check``: is this world right, up to and with its first reset?"""

from __future__ import annotations

import click

from roqsim.cli.arguments import change_options, json_option, print_json, stdout_kept, target_argument


@click.command()
@target_argument
@change_options
@click.option("--no-communication", is_flag=True, help="Leave out every transport, such as the ROS 2 bridge.")
@json_option
def command(
    target: str, sets: tuple[str, ...], overrides: tuple[str, ...], no_communication: bool, as_json: bool
) -> None:
    """Check a world without running it.

    The stages are resolve (the world and all that it extends), inputs (every file it names), config (every key of every
    component), build (MuJoCo compiles it), configure (every component finds what it needs) and reset (every component
    begins). Everything wrong in a stage is reported at once; the later stages are then skipped.
    """
    from roqsim.drivers.answers.check import check_world

    with stdout_kept():
        report = check_world(target, sets=sets, overrides=overrides, no_communication=no_communication)
    if as_json:
        print_json(report.as_dict())
    else:
        for stage in report.stages:
            click.echo(f"{stage.name:<10} {stage.status}")
    for problem in report.problems:
        click.echo(problem, err=True)
    if not report.is_ok:
        raise click.exceptions.Exit(report.exit_status)
