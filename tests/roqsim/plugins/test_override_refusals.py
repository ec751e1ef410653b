"""Overrides that are certain to do nothing, and what is said about them."""

from __future__ import annotations

import pytest
from roqsim.errors import ConfigError, RoqsimError


def fault(field, select, value, **more):
    return {"field": field, "select": select, "value": value, **more}


PAIR = """<mujoco><worldbody><body name="a" pos="5 0 1"><freejoint/><geom name="a" size=".1"/></body>
<body name="b" pos="6 0 1"><freejoint/><geom name="b" size=".1"/></body></worldbody>
<contact><pair name="ab" geom1="a" geom2="b"/></contact></mujoco>"""


@pytest.mark.parametrize(
    ("override", "text"),
    [
        (
            fault("geom_frction", "crate_box", 1.0),
            r"fault\.overrides\[0\]\.field: expected .*did you mean 'geom_friction'",
        ),
        (fault("geom_size", "crate_box", 1.0), r"bounding volume is made at compile"),
        (fault("geom_priority", "crate_box", 1.0), r"stiffness"),
        (fault("sensor_noise", "x", 1.0), r"noise belongs to each sensor"),
        (fault("opt.gravity", "x", 1.0), r"set under `sim:`"),
        (fault("wind", "x", 1.0), r"set under `sim:`"),
        (fault("body_mass", "crate_box", 0.0), r"value: expected numbers > 0 for body_mass, got 0\.0"),
        (fault("body_mass", "crate_box", [1.0, 2.0]), r"value: expected 1 numbers for body_mass"),
        (fault("geom_friction", "crate_box", -0.1), r"value: expected numbers >= 0 for geom_friction"),
        (fault("geom_friction", "crate_box", float("nan")), r"value: expected .*finite"),
        (fault("geom_conaffinity", "crate_box", 0.5), r"value: expected a bit mask"),
        (fault("actuator_forcerange", "arm_hold", [2.0, 1.0]), r"value: expected the least force first"),
        (fault("geom_friction", "crate_box", 1.0, inertia="keep"), r"inertia: expected 'scale'"),
        (fault("geom_friction", "crate_bx", 1.0), r"overrides\[0\]\.select: expected the name of a geom.*'crate_box'"),
        (fault("geom_friction", "nothing_*", 1.0), r"select: expected a pattern that matches the name of a geom"),
        (fault("geom_friction", [], 1.0), r"select: expected at least one name"),
        (fault("geom_friction", "crate_skin", 1.0), r"got only geoms that are drawn"),
        (fault("geom_contype", "crate_box", 0), r"overrides\[0\]: expected a geom_conaffinity for the same geoms"),
        (fault("actuator_forcerange", "arm_hld", [1, 2]), r"expected the name of an actuator.*'arm_hold'"),
        (fault("actuator_forcerange", "arm_free", [1, 2]), r"expected an actuator with a limited force"),
        (fault("body_mass", "arm_base", 2.0), r"expected a body that forces move, got 'arm_base'"),
    ],
)
def test_a_certain_mistake_is_refused(open_world, override, text):
    with pytest.raises(RoqsimError, match=text) as caught:
        open_world(fault=[override])
    assert caught.value.exit_status == 2


def test_a_geom_of_an_explicit_pair_is_refused(world, tmp_path):
    (tmp_path / "world.xml").write_text(PAIR)
    document = {
        "sim": {"world": "world.xml"},
        "components": [{"model_override": {"overrides": [fault("geom_friction", "a", 1.0)]}}],
    }
    with pytest.raises(RoqsimError, match="expected a geom outside explicit pairs, got 'a' of pair 'ab'"):
        world(document, base_dir=tmp_path)


def test_a_geom_that_starts_absent_is_refused(open_world):
    with pytest.raises(RoqsimError, match="got 'crate_box' of 'crate', which starts absent"):
        open_world(presence=False, slip=[fault("geom_friction", "crate_box", 1.0)])


def test_every_mistake_of_the_document_is_reported_at_once(open_world):
    with pytest.raises(ConfigError) as caught:
        open_world(one=[fault("geom_size", "crate_box", 1.0)], two=[fault("body_mass", "crate_box", -1.0)])
    assert len(caught.value.problems) == 2
