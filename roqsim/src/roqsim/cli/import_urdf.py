"""``roqsim import urdf``: what a URDF becomes, and an MJCF of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from roqsim.cli.arguments import force_option, json_option, print_json, stdout_kept

TITLES = {
    "fused": "fused (has no body of its own)",
    "dropped": "dropped (the file says it, the model does not have it)",
    "assumed": "assumed (the file does not say it)",
    "made": "made (added to the model)",
}


@click.command("urdf")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Write an MJCF with its meshes there.")
@force_option
@click.option(
    "--package-path",
    "package_path",
    metavar="DIR",
    multiple=True,
    help="Look package:// up here first: a ROS package, or a folder of them; repeatable.",
)
@click.option("--visual/--no-visual", default=True, help="Keep what is drawn.  [default: visual]")
@click.option("--collision/--no-collision", default=True, help="Keep what touches.  [default: collision]")
@click.option(
    "--density",
    metavar="KG/M³",
    type=click.FloatRange(0.0, min_open=True),
    help="Density of what has collision shapes and no <inertial>.  [default: 1000]",
)
@click.option("--balance-inertia", is_flag=True, help="Replace an inertia that no body can have by its mean.")
@click.option(
    "--actuators",
    metavar="LAW",
    type=click.Choice(["position", "velocity", "effort"]),
    help="Add an actuator for every joint with an effort limit: position, velocity or effort.",
)
@click.option("--srdf", metavar="FILE", help="Let links never touch that this SRDF names; its states become keyframes.")
@json_option
def command(file: Path, out: Path | None, force: bool, as_json: bool, **options: object) -> None:
    """Tell what becomes of the URDF FILE, and write it as MJCF.

    A world can spawn the FILE itself: spawn_robot: {model: FILE}. The report names every element that the simulation
    does not hold as the file says it, with its line.
    """
    from roqsim.drivers.urdf_import import import_urdf
    from roqsim.urdf.options import UrdfConfig

    given = {key: value for key, value in options.items() if value is not None}
    with stdout_kept():
        reply = import_urdf(file, UrdfConfig(**given), out, replace=force)
    if as_json:
        print_json(reply)
    else:
        click.echo("\n".join(_lines(reply)))


def _lines(reply: dict[str, object]) -> Iterator[str]:
    from roqsim.urdf.report import count

    yield f"{reply['path']}: robot {reply['robot']!r}, base link {reply['base']!r}"
    bodies = len(reply["bodies"])
    counts = ["1 body" if bodies == 1 else f"{bodies} bodies"]
    counts += [count(len(reply[key]), key[:-1]) for key in ("joints", "actuators")]
    yield f"  {', '.join(counts)}, {count(reply['geoms'], 'geom')}, {reply['mass']:.6g} kg"
    for kind, title in TITLES.items():
        notes = [note for note in reply["notes"] if note["kind"] == kind]
        if notes:
            yield f"{title}:"
        for note in notes:
            line = f" (line {note['line']})" if note["line"] else ""
            yield f"  {note['text']}{line}"
    if reply["written"]:
        yield f"written: {reply['written'][0]} and {count(len(reply['written']) - 1, 'more file')}"
