"""The text edit behind F8: the view is in the document afterwards, and everything else is as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import loads
from roqsim.errors import RoqsimError
from roqsim.viewer.view_text import with_view

VIEW = {"lookat": [1.0, -2.0, 0.5], "distance": 3.5, "azimuth": 90.0, "elevation": -20.0}
FLOW = "{lookat: [1.0, -2.0, 0.5], distance: 3.5, azimuth: 90.0, elevation: -20.0}"


def test_a_block_world_gets_a_block_view_and_keeps_every_line():
    text = "# my world\nsim:\n    timestep: 0.002  # fast\n    # next\n\n# robots\ncomponents:\n- dummy: {}\n"
    assert with_view(text, VIEW) == (
        "# my world\nsim:\n    timestep: 0.002  # fast\n"
        "    view:\n        lookat: [1.0, -2.0, 0.5]\n        distance: 3.5\n        azimuth: 90.0\n"
        "        elevation: -20.0\n"
        "    # next\n\n# robots\ncomponents:\n- dummy: {}\n"
    )


def test_a_flow_block_gets_a_flow_view():
    text = "sim: {timestep: 0.002, name: 'a, b'}  # fast\ncomponents: []\n"
    assert with_view(text, VIEW) == (f"sim: {{timestep: 0.002, name: 'a, b', view: {FLOW}}}  # fast\ncomponents: []\n")


def test_a_world_without_a_sim_block_gets_one_at_its_end():
    text = "components:\n  - dummy: {}  # nothing"
    assert with_view(text, {"distance": 2.0}) == (
        "components:\n  - dummy: {}  # nothing\nsim:\n  view:\n    distance: 2.0"
    )


def test_an_empty_sim_block_is_filled_and_its_comment_stays():
    text = "sim:  # later\ncomponents: []\n"
    assert with_view(text, {"distance": 2.0}) == "sim:  # later\n  view:\n    distance: 2.0\ncomponents: []\n"


def test_values_of_a_view_are_exchanged_where_they_stand():
    text = (
        "sim:\n  view:\n    azimuth: 10      # from the door\n    lookat:\n    - 0.0   # x\n    - 1     # y\n    - 2\n"
        "    track: robot\n  seed: 1\n"
    )
    assert with_view(text, {**VIEW, "track": None}) == (
        "sim:\n  view:\n    azimuth: 90.0      # from the door\n"
        "    lookat:\n    - 1.0   # x\n    - -2.0     # y\n    - 0.5\n"
        "    track: null\n    distance: 3.5\n    elevation: -20.0\n  seed: 1\n"
    )


def test_keys_of_a_view_that_are_not_given_stay():
    text = "sim: {view: {track: robot, distance: 1}}\n"
    assert with_view(text, {"distance": 2.0}) == "sim: {view: {track: robot, distance: 2.0}}\n"


def test_windows_line_ends_stay():
    text = "sim:\r\n  seed: 1\r\ncomponents: []\r\n"
    assert with_view(text, {"distance": 2.0}) == (
        "sim:\r\n  seed: 1\r\n  view:\r\n    distance: 2.0\r\ncomponents: []\r\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing yet\n",
        "sim:\n",
        "sim: \n",
        "sim: ~\n",
        "sim: null # none\ncomponents: []\n",
        "sim: {}\n",
        "sim:\n  {}\n",
        "{sim: {seed: 1}, components: []}",
        "{sim: , components: []}",
        "{components: []}\n",
        "{}\n",
        "components: []\n...\n",
        "sim: {seed: 1,}\n",
        "sim: {\n  seed: 1,  # one\n}\n",
        "sim:\n  view:\n  seed: 1\n",
        "sim:\n  view:  # here\ncomponents: []\n",
        "sim:\n  view: {}\n",
        "sim: {view: }\n",
        "sim: {view}\n",
        "sim: {view: {lookat: [1, 2, 3]}}\n",
        "sim:\n  view: {lookat: [1, 2]}\n",
        "sim:\n  view:\n    distance:\n    azimuth: 1\n",
        "sim:\n  view:\n    distance:\n",
        "sim:\n  name: |\n    two\n    lines\ncomponents: []\n",
        "sim:\n  name: >-\n    folded\n    text\n",
        "sim:\n  view:\n    track: |-\n      robot\n",
        '"sim":\n  "seed": 1\n',
        "---\nsim:\n  seed: 1\n",
        "%YAML 1.2\n---\nsim: {seed: 1}\n",
        "sim: &s\n  seed: 1\n",
        "sim: &s {seed: 1}\n",
        "sim:\n  seed: 1 # end",
        "\ufeffsim:\n  seed: 1\n",
        "sim:\n  name: 'größer – 世界 🤖'\n  seed: 1\ncomponents: []\n",
        "sim:\n  gravity:\n  - 0\n  - 0\n  - -9.81  # down\n\n\n# robots\ncomponents: []\n",
    ],
)
def test_every_layout_is_edited_and_keeps_its_comments(text):
    edited = with_view(text, {**VIEW, "track": "robot"})
    before = loads(text, "before").plain() or {}
    view = {**((before.get("sim") or {}).get("view") or {}), **VIEW, "track": "robot"}
    assert loads(edited, "after").plain() == {**before, "sim": {**(before.get("sim") or {}), "view": view}}
    for line in text.splitlines():
        assert line.partition("#")[2] in edited


@pytest.mark.parametrize(
    "text",
    [
        "components:\n  - dummy: &s {seed: 1}\nsim: *s\n",
        "sim: &s\n  seed: 1\ncomponents:\n  - dummy: *s\n",
        "sim: [1, 2]\n...\n# end\n---\n",
    ],
)
def test_what_can_not_be_edited_without_another_change_is_refused_with_the_line_to_write(text):
    with pytest.raises(RoqsimError, match="expected"):
        with_view(text, VIEW)


def test_the_refusal_tells_what_to_write():
    with pytest.raises(RoqsimError, match=r"world.yaml: expected a sim block .*; write into it: view: \{lookat: \["):
        with_view("sim: &s\n  seed: 1\ncomponents:\n  - dummy: *s\n", VIEW)


@pytest.mark.parametrize("name", ["true", "no", "a: b", "x # y", "1", "größe", '"', "null", "-", "with space"])
def test_any_name_is_written_so_that_it_is_read_again(name):
    assert loads(with_view("sim: {seed: 1}\n", {"track": name}), "x").plain()["sim"]["view"]["track"] == name


@given(
    numbers=st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=3),
    style=st.sampled_from(
        ["sim:\n  view:\n    lookat:\n    - 1\n    - 2\n    - 3\n", "sim: {view: {lookat: [1, 2, 3]}}"]
    ),
)
def test_numbers_come_back_as_they_were(numbers, style):
    assert loads(with_view(style, {"lookat": numbers}), "x").plain()["sim"]["view"]["lookat"] == numbers


def test_saving_twice_is_saving_once():
    once = with_view("# top\ncomponents: []\n", VIEW)
    assert with_view(once, VIEW) == once
