"""Worlds in which values of the model are overridden."""

from __future__ import annotations

import pytest

ARM = """<mujoco><worldbody><body name="base" pos="0 0 1"><geom name="shell" size=".02" contype="0" conaffinity="0"/>
<body name="link"><joint name="shoulder" axis="0 1 0"/><geom name="link" type="capsule" fromto="0 0 0 .4 0 0" size=".02"
mass=".8"/>
<body name="hand" pos=".4 0 0"><joint name="wrist" axis="0 1 0" damping=".1"/>
<geom name="hand" type="box" size=".05 .05 .05" mass="{mass}"/></body></body></body></worldbody>
<actuator><position name="hold" joint="shoulder" kp="400" kv="20" forcerange="-50 50"/>
<position name="free" joint="wrist" kp="40" kv="2"/></actuator></mujoco>"""

BOX = """<mujoco><worldbody><body name="box">
<geom name="skin" type="box" size=".11 .11 .11" contype="0" conaffinity="0" mass="0"/>
<geom name="box" type="box" size=".1 .1 .1" mass="{mass}" {more}/></body></worldbody></mujoco>"""


@pytest.fixture
def open_world(world, tmp_path):
    """A box on the floor and an arm, each its own entity, with overrides: ``open_world(fault=[{...}])``."""

    def opener(*, mass=1.0, hand=1.0, box="", presence=True, reset=True, sim=None, under=None, **overrides):
        (tmp_path / "box.xml").write_text(BOX.format(mass=mass, more=box))
        (tmp_path / "arm.xml").write_text(ARM.format(mass=hand))
        faults = [{"name": name, "model_override": {"overrides": each}} for name, each in overrides.items()]
        crate = {"name": "crate", "spawn_model": {"model": "box.xml", "pose": {"position": [0.0, 0.0, 0.1]}}}
        crate["present"] = presence
        arm = {
            "name": "arm",
            "spawn_model": {"model": "arm.xml", "motion": "static", "pose": {"position": [3.0, 0, 0]}},
        }
        if under == "crate":
            crate["components"], faults = faults, []
        document = {"sim": {"timestep": 0.002, **(sim or {})}, "components": [crate, arm, *faults]}
        return world(document, base_dir=tmp_path, reset=reset)

    return opener


@pytest.fixture
def box_model(tmp_path):
    """The path of a model of one kilogram."""
    (tmp_path / "box.xml").write_text(BOX.format(mass=1, more=""))
    return str(tmp_path / "box.xml")
