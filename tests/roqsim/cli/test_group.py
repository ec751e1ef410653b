"""The root command: overview, misspelt names, other packages' commands, errors and exit statuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import click
import pytest
from roqsim.cli import main
from roqsim.cli.group import CORE
from roqsim.errors import ConfigError, DivergenceError, GLError, NotFoundError, RoqsimError

COMMANDS = "roqsim.commands"
GREETING = """
import click

@click.command()
@click.argument("who")
def command(who):
    "Greet somebody."
    click.echo(f"hello {who}")
"""


@pytest.fixture
def raising(monkeypatch):
    """A command ``fail`` that raises what it is given."""

    def install(error: BaseException) -> None:
        @click.command()
        def fail() -> None:
            raise error

        find = type(main).get_command
        monkeypatch.setattr(
            type(main), "get_command", lambda self, ctx, name: fail if name == "fail" else find(self, ctx, name)
        )

    return install


def test_the_overview_lists_every_command_with_a_line(cli):
    result = cli("--help")
    assert result.exit_code == 0
    listed = result.stdout.partition("Commands:")[2].split("\n\n")[0].split("\n")[1:]
    rows = [line.split(None, 1) for line in listed if line.strip()]
    assert [name for name, _ in rows][: len(CORE)] == list(CORE)
    assert all(len(text) > 10 for _, text in rows)


def test_every_exit_status_is_in_the_overview(cli):
    text = " ".join(cli("--help").stdout.split())
    assert all(f"{status} " in text.partition("Exit status:")[2] for status in range(6))


def test_the_version_is_the_packages(cli):
    import roqsim

    assert cli("--version").stdout == f"roqsim {roqsim.__version__}\n"


def test_the_command_line_can_be_run_as_a_module():
    import roqsim

    for words, expected in (
        (["--version"], f"roqsim {roqsim.__version__}\n"),
        (["--help"], "Usage: python -m roqsim "),
    ):
        run = subprocess.run([sys.executable, "-m", "roqsim", *words], capture_output=True, text=True)
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith(expected)


@pytest.mark.parametrize(
    ("words", "hint"),
    [(["chek"], "did you mean 'check'?"), (["catalog", "model s"], "did you mean 'models'?"), (["xyzzy"], "there is ")],
)
def test_a_misspelt_command_gets_the_nearest_one(cli, words, hint):
    result = cli(*words)
    assert result.exit_code == 2
    assert hint in result.stderr.splitlines()[-1]
    assert result.stdout == ""


def every_command(command=main, words=()):
    """Every command with the words that call it."""
    yield words, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from every_command(command.get_command(ctx, name), (*words, name))


@pytest.mark.parametrize(
    ("words", "command"), [pytest.param(*found, id=" ".join(found[0]) or "roqsim") for found in every_command()]
)
def test_what_is_missing_is_the_last_line_of_standard_error(cli, words, command):
    if isinstance(command, click.Group):
        reason = f"Error: {' '.join(('roqsim', *words))}: expected a command, got none; name one of the above"
    else:
        missing = [param for param in command.params if param.required]
        if not missing:
            pytest.skip("nothing is required")
        reason = f"Error: Missing argument '{missing[0].make_metavar(click.Context(command))}'."
    result = cli(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith(reason)


@pytest.mark.parametrize(("name", "group"), [("describe", "scenes"), ("urdf", "export"), ("models", "catalog")])
def test_a_command_without_its_group_is_answered_with_both(cli, name, group):
    result = cli(name, "world.yaml")
    assert result.exit_code == 2
    last = result.stderr.splitlines()[-1]
    assert last == f"Error: roqsim: expected a command, got {name!r}; did you mean 'roqsim {group} {name}'?"


def test_a_misspelt_option_gets_the_nearest_one(cli):
    result = cli("check", "--overide", "x.yaml", "world.yaml")
    assert result.exit_code == 2
    assert "--override" in result.stderr.splitlines()[-1]


def test_another_package_adds_a_command(cli, installed):
    installed("greeter", {COMMANDS: {"greet": "greeter.cli:command"}}, cli=GREETING)
    assert "Greet somebody." in cli("--help").stdout
    assert cli("greet", "you").stdout == "hello you\n"
    assert cli("gret").stderr.endswith("did you mean 'greet'?\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import no_such_module_xyz", "no_such_module_xyz"),
        ("command = 3", "expected a click command, got 3"),
    ],
)
def test_a_broken_command_is_listed_with_its_reason_and_disturbs_no_other(cli, installed, source, reason):
    installed("wreck", {COMMANDS: {"ruin": "wreck.cli:command"}}, cli=source)
    overview = cli("--help")
    assert overview.exit_code == 0
    assert "(broken)" in overview.stdout
    assert reason in " ".join(overview.stdout.split())
    assert cli("catalog", "--help").exit_code == 0
    for words in (["ruin"], ["ruin", "--help"], ["ruin", "a", "--b"]):
        called = cli(*words)
        assert called.exit_code == 1
        assert reason in called.stderr
        assert "wreck" in called.stderr


def test_a_package_cannot_replace_a_command_of_the_core(cli, installed):
    installed("usurper", {COMMANDS: {"check": "usurper.cli:command"}}, cli=GREETING)
    assert "Greet" not in cli("check", "--help").stdout


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RoqsimError("it failed"), 1),
        (DivergenceError("it failed"), 1),
        (ConfigError("it failed"), 2),
        (NotFoundError("it failed"), 2),
        (GLError("it failed"), 3),
    ],
)
def test_an_error_is_its_text_and_its_exit_status(cli, raising, error, status):
    raising(error)
    result = cli("fail")
    assert (result.exit_code, result.stdout, result.stderr) == (status, "", "it failed\n")


def test_an_unexpected_exception_is_one_line_that_says_how_to_see_more(cli, raising):
    raising(ZeroDivisionError("division by zero"))
    result = cli("fail")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "ZeroDivisionError: division by zero at test_group.py:" in result.stderr
    assert "--traceback" in result.stderr


@pytest.mark.parametrize("error", [ZeroDivisionError("no"), ConfigError("no")])
@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_traceback_is_there_for_who_asks(cli, raising, monkeypatch, error, by):
    raising(error)
    if by == "environment":
        result_words = ["fail"]
        monkeypatch.setenv("ROQSIM_TRACEBACK", "1")
        cli_words = result_words
    else:
        cli_words = ["--traceback", "fail"]
    result = cli(*cli_words)
    assert result.exception is error


def test_a_file_that_cannot_be_used_is_a_wrong_input(cli, raising, tmp_path):
    path = str(tmp_path / "nowhere" / "it.json")
    raising(FileNotFoundError(2, "No such file or directory", path))
    result = cli("fail")
    told = f"{path}: expected a file that can be used, got 'no such file or directory'\n"
    assert (result.exit_code, result.stderr) == (2, told)
    (tmp_path / "file").touch()
    result = cli("schema", "--out", tmp_path / "file" / "it.json")
    told = f"{tmp_path / 'file' / 'it.json'}: expected a place that can be written, got "
    assert result.exit_code == 2 and result.stderr.startswith(told)


def test_an_opengl_that_does_not_work_is_exit_status_3_with_a_way_on(tmp_path):
    (tmp_path / "arm.xml").write_text("<mujoco/>")
    program = "import sys; from roqsim.cli import main; main(['catalog', 'model', sys.argv[1]])"
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "arm.xml")],
        env={**os.environ, "MUJOCO_GL": "no_such_backend"},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout) == (3, "")
    assert len(run.stderr.splitlines()) == 1
    assert run.stderr.startswith("MUJOCO_GL=no_such_backend: ")
    assert "roqsim doctor" in run.stderr


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (KeyboardInterrupt(), (130, "interrupted\n")),
        (KeyboardInterrupt(signal.SIGTERM), (143, "terminated\n")),
    ],
)
def test_an_interruption_ends_with_its_status_and_no_traceback(cli, raising, error, answer):
    raising(error)
    result = cli("fail")
    assert (result.exit_code, result.stderr) == answer


def test_a_reader_that_goes_away_is_no_error():
    program = "from roqsim.cli import main; main(['--help'])"
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([sys.executable, "-c", program], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert run.stderr == ""
