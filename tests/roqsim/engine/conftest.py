"""Small machines that the engine's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

ARM = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base">
      <geom type="cylinder" size=".06 .05" mass="4"/>
      <body name="upper" pos="0 0 .1">
        <joint name="j1" axis="0 1 0" damping="2" armature=".05"/>
        <geom type="capsule" fromto="0 0 0 0 0 .3" size=".03" mass="1"/>
        <body name="lower" pos="0 0 .3">
          <joint name="j2" axis="0 1 0" damping="1" armature=".05"/>
          <geom type="capsule" fromto="0 0 0 0 0 .25" size=".025" mass=".5"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="j1" joint="j1" kp="400" kv="20"/>
    <position name="j2" joint="j2" kp="200" kv="10"/>
  </actuator>
  <keyframe><key name="home" qpos=".7 -.4" ctrl=".7 -.4"/></keyframe>
</mujoco>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """The path of a two-joint arm with position servos and a ``home`` keyframe."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path
