"""An SRDF beside a URDF: links that never touch, and poses with a name."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.errors import ConfigError
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.reader import read_urdf

from .conftest import BOX, INERTIAL, joint, link, robot

LIMIT = '<limit lower="-2" upper="2" effort="9" velocity="1"/>'
BODY = INERTIAL + f"<collision>{BOX}</collision>"

THREE = robot(
    link("a", BODY)
    + link("b", BODY)
    + link("c", BODY)
    + joint("ab", "a", "b", "revolute", LIMIT)
    + joint("bc", "b", "c", "revolute", LIMIT)
)

SRDF = """
<robot name="toy">
  <group name="arm"><chain base_link="a" tip_link="c"/></group>
  <group_state name="home" group="arm"><joint name="ab" value="0.5"/></group_state>
  <group_state name="up" group="arm"><joint name="ab" value="-1"/><joint name="bc" value="1.5"/></group_state>
  <disable_collisions link1="c" link2="a" reason="Never"/>
  <disable_collisions link1="a" link2="b" reason="Adjacent"/>
</robot>
"""


def test_pairs_without_a_check_do_not_touch(put):
    put("toy.srdf", SRDF)
    path = put("toy.urdf", THREE)
    for options, contacts in ((UrdfConfig(), True), (UrdfConfig(srdf="toy.srdf"), False)):
        spec, report = read_urdf(path, options)
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        assert (data.ncon > 0) is contacts
    assert "1 pair of links that do not touch, as the SRDF says" in [note.text for note in report.notes]
    assert [file.name for file in report.files] == ["toy.srdf"]


@pytest.mark.needs("roqsim_mobile")
def test_states_are_keyframes_and_home_is_where_the_robot_starts(put):
    put("toy.srdf", SRDF)
    put("toy.urdf", THREE)
    block = "{srdf: toy.srdf, actuators: position}"
    world = put("w.yaml", f"components: [{{name: r, spawn_robot: {{model: toy.urdf, motion: static, urdf: {block}}}}}]")
    with Engine(load_config(world)) as engine:
        engine.reset()
        data = engine.ctx.data
        assert data.joint("r_ab").qpos[0] == pytest.approx(0.5)
        assert data.actuator("r_ab").ctrl[0] == pytest.approx(0.5)
    world.write_text(world.read_text().replace("motion:", "keyframe: up, motion:"))
    with Engine(load_config(world)) as engine:
        engine.reset()
        np.testing.assert_allclose([engine.ctx.data.joint(f"r_{j}").qpos[0] for j in ("ab", "bc")], [-1, 1.5])


@pytest.mark.parametrize(
    "change, expected",
    [
        (
            ('link1="c"', 'link1="d"'),
            "robot: disable_collisions: expected a link of the robot, got 'd' at {}:5; there is",
        ),
        (
            ('name="bc"', 'name="bb"'),
            "robot: group_state 'up': expected a joint of the robot with one coordinate, got 'bb' at {}:4",
        ),
        (('value="1.5"', 'value="up"'), "robot: group_state 'up': expected a number for joint 'bc', got 'up' at {}:4"),
        (("<robot", "<robots"), "mismatched tag"),
        (("<group name", "<link/><group name"), "robot: srdf: expected an SRDF, got a URDF at {}:1"),
    ],
)
def test_a_mistake_in_an_srdf_names_its_file_and_line(put, change, expected):
    put("toy.srdf", SRDF.replace(*change))
    with pytest.raises(ConfigError) as caught:
        read_urdf(put("toy.urdf", THREE), UrdfConfig(srdf="toy.srdf"), where="robot")
    assert expected.format("toy.srdf") in str(caught.value)
    assert len(caught.value.problems) == 1


def test_an_srdf_that_is_nowhere_is_told(put):
    with pytest.raises(ConfigError, match=r"^srdf: expected an SRDF file, got 'nowhere.srdf'"):
        read_urdf(put("toy.urdf", THREE), UrdfConfig(srdf="nowhere.srdf"))


def test_what_is_exported_for_moveit_is_imported_again(put, tmp_path):
    from click.testing import CliRunner
    from roqsim.cli import main

    put("toy.urdf", THREE)
    for kind in ("urdf", "srdf"):
        words = ["export", kind, "toy.urdf", "--out", f"out.{kind}", "--name", "toy"]
        assert CliRunner().invoke(main, words).exit_code == 0
    spec, _ = read_urdf(tmp_path / "here" / "out.urdf", UrdfConfig(srdf="out.srdf"))
    assert [key.name for key in spec.keys] == ["home"]
    assert {(each.bodyname1, each.bodyname2) for each in spec.excludes} >= {("a", "b"), ("b", "c")}
