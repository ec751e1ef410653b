from __future__ import annotations

import pytest
from roqsim.errors import ConfigError
from roqsim.viewer.display import draws_in_software, has_display, require_display


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_window_needs_a_display_on_linux(environment, platform, expected):
    assert has_display(environment, platform) is expected


def test_without_a_display_the_way_out_is_named():
    with pytest.raises(ConfigError) as raised:
        require_display("add --headless", {})
    assert str(raised.value) == "sim: expected a display for the window, got none; add --headless"


@pytest.mark.parametrize("card", ["dri/renderD128", "nvidia0", "dxg"])
def test_a_graphics_card_draws(tmp_path, card):
    assert draws_in_software({}, tmp_path, "linux")
    (tmp_path / card).parent.mkdir(exist_ok=True)
    (tmp_path / card).touch()
    assert not draws_in_software({}, tmp_path, "linux")
    assert draws_in_software({"LIBGL_ALWAYS_SOFTWARE": "1"}, tmp_path, "linux")


def test_other_systems_are_taken_to_have_a_card(tmp_path):
    assert not draws_in_software({}, tmp_path, "darwin")
