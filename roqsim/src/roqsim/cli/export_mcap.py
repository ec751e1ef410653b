"""``roqsim export mcap``: a run in the messages of Foxglove, rerun and ROS 2."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import force_option, print_json, run_argument, stdout_kept


@click.command("mcap", short_help="A run for Foxglove, rerun and ROS 2.")
@run_argument
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), required=True, help="File to write.")
@click.option("--images", is_flag=True, help="Draw the cameras again; needs OpenGL.")
@click.option("--from-states", is_flag=True, help="Read sensors in the recorded states; do not run again.")
@force_option
def command(run: Path, out: Path, images: bool, from_states: bool, force: bool) -> None:
    """Write RUN with poses, joints, sensors and clock as messages that other programs know.

    RUN is a recording, or the directory of a run. The run is done again on the way, so every sensor says what it said
    then. Where that leads elsewhere (another version of MuJoCo, somebody who meddled) a warning says so, and sensors
    are read in the recorded states: then those that remember, such as odometry, say nothing true. Standard output is
    one line of JSON with the number of messages of each topic.
    """
    import logging

    from roqsim.drivers.logs import show_logs
    from roqsim.export.mcap import export_mcap

    show_logs(logging.WARNING)
    with stdout_kept():
        reply = export_mcap(run, out, pictures=images, from_states=from_states, overwrite=force)
    print_json({"recording": str(run), "out": str(out), **reply})
