"""``roqsim doctor``: does this machine have what a simulation needs?"""

from __future__ import annotations

import click

from roqsim.cli.arguments import json_option, print_json

FOUND_SOMETHING = 5


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Look for what is wrong with an installation.

    It looks at Python, MuJoCo, OpenGL, the display, ROS 2, the installed roqsim packages and everything they
    announce. The exit status is 5 where something is wrong; a note is only worth knowing.
    """
    from roqsim.drivers.answers.doctor import examine

    findings = []
    for finding in examine():
        findings.append(finding)
        if not as_json:
            click.echo(finding)
    wrong = [finding for finding in findings if finding.status == "wrong"]
    if as_json:
        print_json({"ok": not wrong, "findings": [finding.as_dict() for finding in findings]})
    if wrong:
        count = "1 thing is" if len(wrong) == 1 else f"{len(wrong)} things are"
        click.echo(f"{count} wrong: {', '.join(sorted({finding.check for finding in wrong}))}", err=True)
        raise click.exceptions.Exit(FOUND_SOMETHING)
