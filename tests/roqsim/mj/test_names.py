from __future__ import annotations

import mujoco
import pytest
from roqsim.errors import NotFoundError
from roqsim.mj import names

MODEL = """
<mujoco><worldbody>
  <body name="a/base"><joint name="a/hinge"/><geom name="a/shell" size=".1"/><geom size=".1"/>
    <site name="a/tip"/></body>
  <body name="b/base"><joint name="b/ball" type="ball"/><geom size=".1"/></body>
</worldbody>
<actuator><motor name="a/m" joint="a/hinge"/>
<pid name="a/pid" joint="a/hinge"/><motor name="last" joint="a/hinge"/></actuator>
</mujoco>
"""


@pytest.fixture
def model():
    return mujoco.MjModel.from_xml_string(MODEL)


def test_a_name_leads_to_its_id_and_back(model):
    for kind in ("body", "joint", "geom", "site", "actuator"):
        for name in names.names(model, kind):
            assert names.name_of(model, kind, names.object_id(model, kind, name)) == name
    assert names.count(model, "actuator") == 3
    assert names.names(model, "geom") == ["a/shell"]


def test_an_entity_finds_its_own_objects_without_their_prefix(model):
    assert names.joint_id(model, "hinge", prefix="a/") == model.joint("a/hinge").id


def test_a_misspelt_name_gets_the_nearest_one_of_the_entity_alone(model):
    with pytest.raises(NotFoundError) as error:
        names.joint_id(model, "hinje", where="robot.arm", prefix="a/")
    assert str(error.value) == "robot.arm: expected the name of a joint, got 'hinje'; did you mean 'hinge'?"
    with pytest.raises(
        NotFoundError, match="expected the name of an actuator, got 'zzz'; there is 'a/m', 'a/pid', 'last'"
    ):
        names.actuator_id(model, "zzz")


def test_a_frame_is_a_body_or_a_site(model):
    assert names.frame_id(model, "base", prefix="b/") == ("body", model.body("b/base").id)
    assert names.frame_id(model, "tip", prefix="a/") == ("site", model.site("a/tip").id)
    with pytest.raises(
        NotFoundError, match=r"x: expected the name of a body or a site, got 'tipp'; did you mean 'tip'\?"
    ):
        names.frame_id(model, "tipp", where="x", prefix="a/")


def test_controls_are_found_behind_an_actuator_that_has_several(model):
    last = names.control_slice(model, names.actuator_id(model, "last"))
    assert last == slice(model.nu - 1, model.nu)
    assert model.nu > model.nactuator
    assert names.actuators_of_joint(model, model.joint("a/hinge").id) == [0, 1, 2]
    assert names.actuators_of_joint(model, model.joint("b/ball").id) == []
