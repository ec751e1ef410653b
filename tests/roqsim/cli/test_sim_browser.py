"""``roqsim sim --browser``: the line with the URL, and one clear answer to each mistake."""

from __future__ import annotations

import re
import socket

import pytest
from roqsim.viewer.browser.view import has_studio

WORLD = "sim: {seed: 1}\ncomponents: [dummy]\n"


@pytest.fixture
def target(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    return path


needs_studio = pytest.mark.skipif(not has_studio(), reason="MuJoCo Studio is not installed")


@pytest.mark.slow
@needs_studio
@pytest.mark.parametrize(("words", "mode"), [((), "read-only"), (("--browser-control",), "may steer")])
def test_one_line_names_the_page_and_standard_output_keeps_the_summary(cli, target, monkeypatch, words, mode):
    monkeypatch.delenv("DISPLAY", raising=False)
    result = cli("sim", target, "--browser", "0", "--pacing", "asap", "--steps", "10", *words)
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stderr.splitlines() if line.startswith("browser:")]
    assert len(lines) == 1
    assert re.fullmatch(rf"browser: http://127\.0\.0\.1:\d+/ \({mode}\)", lines[0])
    assert result.stdout.startswith("ended: the limit of 10 steps")


@pytest.mark.slow
@needs_studio
def test_the_port_may_be_left_out_behind_the_target(cli, target):
    result = cli("sim", target, "--steps", "1", "--browser")
    assert result.exit_code == 0, result.output
    assert re.search(r"^browser: http://127\.0\.0\.1:80\d\d/", result.stderr, re.M)


@needs_studio
def test_a_port_in_use_is_one_clear_error(cli, target):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = cli("sim", target, "--browser", port)
    assert result.exit_code == 2
    assert result.stderr.strip().splitlines()[-1] == (
        f"--browser: expected a free port, got {port}, which is in use; name another one, or none to have one chosen"
    )


@pytest.mark.parametrize("port", ["world.yaml", "99999"])
def test_what_is_no_port_is_refused_with_the_way_out(cli, target, port):
    result = cli("sim", f"--browser={port}", target)
    assert result.exit_code == 2
    assert f"expected a port from 0 to 65535, got '{port}'; write --browser=PORT, or put --browser" in result.stderr


@pytest.mark.parametrize("words", [("--browser-host", "0.0.0.0"), ("--browser-control",)])
def test_what_belongs_to_the_page_is_refused_without_it(cli, target, words):
    result = cli("sim", target, "--headless", "--steps", "1", *words)
    assert result.exit_code == 2
    expected = f"{words[0]}: expected to stand with --browser; add it, or leave {words[0]} out"
    assert result.stderr.strip().splitlines()[-1].endswith(expected)


@pytest.mark.parametrize("panel", ["--left-ui", "--right-ui"])
def test_a_page_has_no_panels_of_a_window(cli, target, panel):
    result = cli("sim", target, "--browser=0", panel)
    assert result.exit_code == 2
    expected = "--left-ui, --right-ui: expected a window to open panels in, got --browser; take one"
    assert result.stderr.strip().splitlines()[-1].endswith(expected)
