"""What a shell is offered."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time

import pytest
from roqsim.cli.completion import rejoin

PROGRAM = "from roqsim.cli import main; main(prog_name='roqsim')"


def offered(*words: str, shell: str = "bash") -> list[str]:
    """The completions of the last word, as the shell gets them."""
    environment = {
        **os.environ,
        "_ROQSIM_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(["roqsim", *words]),
        "COMP_CWORD": str(len(words)) if shell != "fish" else words[-1],
    }
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def test_commands_are_offered():
    assert offered("ch") == ["plain,check"]


def test_worlds_are_offered_as_targets(installed_world, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    assert "plain,garage:lift" in offered("check", "gar")
    assert "plain,garage:lift" in offered("scenes", "describe", "--entities", "gar")


def test_bash_gets_only_what_follows_the_colon(installed_world, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    assert "plain,lift" in offered("check", "garage", ":", "l")


def test_zsh_gets_the_whole_word(installed_world, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    assert "garage:lift" in offered("check", "garage:l", shell="zsh")


def test_models_are_offered(installed_world, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    assert offered("catalog", "model", "crat")[0] == "plain,crate"


def test_bash_completes_a_world_across_its_colon(installed_world, monkeypatch, tmp_path, cli):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    program = tmp_path / "roqsim"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{PROGRAM}' \"$@\"\n".replace("'roqsim'", '"roqsim"'))
    program.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    script = cli("completion", "bash").stdout.replace("compopt", ":") + (
        f"\nCOMP_WORDS=(roqsim check garage : l) COMP_CWORD=4\n_roqsim_completion {program}\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    run = subprocess.run([bash], input=script, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["lift"]


@pytest.mark.slow
def test_a_tab_completes_in_a_live_bash(installed_world, monkeypatch, tmp_path):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    program = tmp_path / "bin" / "roqsim"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{PROGRAM}' \"$@\"\n".replace("'roqsim'", '"roqsim"'))
    program.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    terminal, inside = pty.openpty()
    shell = subprocess.Popen([bash, "--norc", "--noprofile", "-i"], stdin=inside, stdout=inside, stderr=inside)
    try:
        os.write(terminal, b'eval "$(roqsim completion bash)"; echo re""ady\n')
        assert "ready" in seen(terminal, "ready")
        os.write(terminal, b"roqsim che\tgarage:l\t")
        assert "roqsim check garage:lift" in seen(terminal, "garage:lift")
    finally:
        shell.kill()
        shell.wait()
        os.close(inside)
        os.close(terminal)


def seen(terminal: int, wanted: str, patience: float = 30.0) -> str:
    """What a terminal shows until the wanted text is there."""
    shown, end = "", time.monotonic() + patience
    while wanted not in shown and (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            shown += os.read(terminal, 4096).decode()
    return shown


def test_words_of_the_pacing_are_offered():
    assert offered("sim", "--pacing", "") == ["plain,realtime", "plain,asap"]
    assert offered("sim", "--pacing", "a") == ["plain,asap"]


def test_files_are_offered_beside_worlds(installed_world, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(installed_world))
    (tmp_path / "here" / "garden").mkdir(parents=True)
    for name in ("gate.yaml", "gate.txt", "other.yaml"):
        (tmp_path / "here" / name).write_text("")
    monkeypatch.chdir(tmp_path / "here")
    assert offered("check", "ga") == ["plain,garage:lift", "plain,gate.yaml", "plain,garden/"]


def test_without_a_fitting_name_the_shell_offers_its_files():
    assert offered("check", "./x") == ["file,./x"]


@pytest.fixture
def installed_world(installed):
    """A package ``garage`` with a world ``lift`` and a model ``crate``."""
    here = "from pathlib import Path\n{} = Path(__file__).parent\n"
    folder = installed(
        "garage",
        {"roqsim.worlds": {"garage": "garage.worlds"}, "roqsim.models": {"garage": "garage.models"}},
        worlds=here.format("WORLDS_DIR"),
        models=here.format("MODELS_DIR"),
    )
    (folder / "lift.yaml").write_text("# A lift.\ncomponents: []\n")
    (folder / "crate.xml").write_text("<mujoco/>")
    return folder.parent


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_says_where_it_goes(cli, shell):
    result = cli("completion", shell)
    assert result.exit_code == 0
    first = result.stdout.splitlines()[0]
    assert first.startswith("#")
    assert f"roqsim completion {shell}" in first
    assert "_ROQSIM_COMPLETE" in result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_one_that_the_shell_takes(cli, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([program, "-n"], input=cli("completion", shell).stdout, text=True, check=True)


def test_a_missing_shell_gets_the_list_on_the_last_line(cli):
    result = cli("completion")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].endswith("Choose from bash, zsh, fish.")


def test_an_unknown_shell_gets_the_list(cli):
    result = cli("completion", "tcsh")
    assert result.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in result.stderr


def test_words_parted_at_colons_are_joined_again():
    assert rejoin(["sim", "a", ":", "b"]) == ["sim", "a:b"]
    assert rejoin(["sim", "a", ":", ""]) == ["sim", "a:"]
    assert rejoin(["--set", "a.b", "=", "1", "x"]) == ["--set", "a.b=1", "x"]
