"""What the links of a URDF weigh, above all where the file does not say it."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.reader import read_urdf

from .conftest import BOX, INERTIAL, joint, link, robot, stl

COLLISION = f"<collision>{BOX}</collision>"
VISUAL = f"<visual>{BOX}</visual>"
VOLUME = 0.2 * 0.4 * 0.6


def test_shapes_weigh_nothing_where_the_link_states_its_mass(read):
    _, model, report = read(robot(link("a", INERTIAL + COLLISION + VISUAL)))
    assert model.body_mass.sum() == pytest.approx(2.0)
    assert not report.of_kind("assumed")


def test_a_link_without_inertial_is_massless_where_what_is_fixed_to_it_states_a_mass(read):
    """MuJoCo's own reader would weigh its shapes beside that."""
    _, model, report = read(
        robot(link("base_link", COLLISION) + link("base_inertia") + joint("j", "base_link", "base_inertia"))
    )
    assert model.body("base_link").mass[0] == 0.0
    assert model.body_mass.sum() == pytest.approx(2.0)
    assert report.base_has_mass and not report.of_kind("assumed")


@pytest.mark.parametrize("density", [None, 250.0])
def test_what_states_no_mass_at_all_gets_it_from_its_collision_shapes(read, density):
    options = {} if density is None else {"density": density}
    _, model, report = read(robot(link("a", COLLISION + VISUAL)), **options)
    assert model.body_mass[1] == pytest.approx((density or 1000.0) * VOLUME)
    assert report.base_has_mass
    assert f"{density or 1000:g} kg/m³ for the collision shapes of 'a'" in report.of_kind("assumed")[0].text


def test_a_base_of_visuals_alone_has_no_mass(read):
    _, model, report = read(robot(link("a", VISUAL)))
    assert model.body_mass.sum() == 0.0
    assert not report.base_has_mass


def test_a_mass_of_zero_that_does_not_move_is_no_mistake(read):
    light = INERTIAL.replace('value="2"', 'value="0"')
    _, model, report = read(robot(link("a") + link("b", light) + joint("j", "a", "b")))
    assert model.body("b").mass[0] == 0.0
    assert "the inertia of link 'b', whose mass is 0" in report.of_kind("dropped")[0].text


def test_a_moving_frame_takes_its_mass_from_what_is_fixed_to_it(read):
    text = robot(
        link("a") + link("turner", "") + link("b") + joint("t", "a", "turner", "continuous") + joint("f", "turner", "b")
    )
    _, model, _ = read(text)
    assert model.body("turner").mass[0] == 0.0
    assert model.dof_M0[0] > 0.0


def test_an_inertia_is_balanced_where_that_is_asked_for(read):
    wrong = INERTIAL.replace('"0.04"', '"0.4"')
    _, model, report = read(robot(link("a", wrong)), balance_inertia=True)
    np.testing.assert_allclose(model.body_inertia[1], (0.02 + 0.03 + 0.4) / 3.0, rtol=1e-9)
    assert "about every axis of link 'a'" in report.of_kind("assumed")[0].text


def test_the_file_itself_may_ask_for_balanced_inertias(read):
    wrong = '<mujoco><compiler balanceinertia="true"/></mujoco>' + link("a", INERTIAL.replace('"0.04"', '"0.4"'))
    _, model, _ = read(robot(wrong))
    assert len(set(np.round(model.body_inertia[1], 12))) == 1


@given(
    moments=st.tuples(st.floats(1e-6, 10.0), st.floats(1e-6, 10.0)),
    turn=st.tuples(*[st.floats(-3.0, 3.0).map(lambda x: round(x, 6))] * 3),
)
def test_a_flat_plate_in_any_direction_is_read(tmp_path_factory, moments, turn):
    """Its largest moment is the sum of the others, which rounding must not turn into a mistake."""
    c, s = np.cos(turn), np.sin(turn)
    R = np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]]) @ np.array(
        [[1, 0, 0], [0, c[1], -s[1]], [0, s[1], c[1]]]
    )
    tensor = R @ np.diag([*moments, sum(moments)]) @ R.T
    values = {
        k: f"{tensor[i, j]:.9g}"
        for k, i, j in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), *np.triu_indices(3), strict=True)
    }
    attributes = " ".join(f'{key}="{value}"' for key, value in values.items())
    path = tmp_path_factory.getbasetemp() / "plate.urdf"
    path.write_text(robot(link("a", f'<inertial><mass value="1"/><inertia {attributes}/></inertial>')))
    spec, _ = read_urdf(path, UrdfConfig())
    model = spec.compile()
    expected = sorted([*moments, sum(moments)])
    np.testing.assert_allclose(sorted(model.body_inertia[1]), expected, rtol=1e-5, atol=1e-6 * expected[2])


def stated(mass: float, origin: str = "") -> str:
    """An ``<inertial>`` without ``<inertia>``."""
    return f'<inertial>{origin}<mass value="{mass}"/></inertial>'


def test_a_mass_without_inertia_is_spread_over_the_collision_shapes(read):
    """A cuboid's moments are m/12 times the sum of two squared edges."""
    origin = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    _, model, report = read(robot(link("a", stated(3.0, origin) + COLLISION + VISUAL)))
    expected = [3.0 / 12.0 * sum(a * a for a in pair) for pair in ((0.4, 0.6), (0.2, 0.6), (0.2, 0.4))]
    assert model.body("a").mass[0] == 3.0
    np.testing.assert_allclose(model.body("a").ipos, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(sorted(model.body("a").inertia), sorted(expected), rtol=1e-12)
    (note,) = report.of_kind("assumed")
    assert note.text == (
        "moments of inertia of link 'a', which states a mass and no <inertia>: those of its collision shapes"
    )
    assert note.line == 2


@given(st.floats(0.01, 100.0), st.tuples(*[st.floats(0.1, 1.0)] * 3))
def test_they_are_the_moments_of_a_shape_of_the_density_that_gives_the_mass(mass, sides):
    box = f"<collision><geometry><box size='{' '.join(map(str, sides))}'/></geometry></collision>"
    models = []
    for inner in (stated(mass) + box, box):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.urdf"
            path.write_text(robot(link("a") + link("b", inner) + joint("j", "a", "b", "continuous")))
            spec, _ = read_urdf(path, UrdfConfig(density=mass / math.prod(sides)))
        models.append(spec.compile())
    assert models[0].body("b").mass == pytest.approx(models[1].body("b").mass, rel=1e-9)
    np.testing.assert_allclose(sorted(models[0].body("b").inertia), sorted(models[1].body("b").inertia), rtol=1e-6)


def test_a_mesh_gives_its_moments_too_however_it_is_turned(read, put):
    put("tetra.stl", stl())
    mesh = '<geometry><mesh filename="tetra.stl"/></geometry>'
    turned = f'<collision><origin xyz="1 2 3" rpy="0.3 0.2 0.1"/>{mesh}</collision>'
    inner = link("b", stated(5.0) + turned), link("b", f"<collision>{mesh}</collision>")
    (_, found, _), (_, solid, _) = (
        read(robot(link("a") + each + joint("j", "a", "b", "continuous")), density=30.0) for each in inner
    )
    assert solid.body("b").mass[0] == pytest.approx(30.0 / 6.0)
    np.testing.assert_allclose(sorted(found.body("b").inertia), sorted(solid.body("b").inertia), rtol=1e-6)
    np.testing.assert_allclose(found.body("b").ipos, 0.0, atol=1e-12)


def test_a_fixed_mass_without_inertia_and_shape_is_a_point(read):
    _, model, report = read(robot(link("a") + link("b", stated(1.5)) + joint("j", "a", "b")))
    assert model.body("b").mass[0] == 1.5
    assert not model.body("b").inertia.any()
    assert report.of_kind("assumed")[0].text.endswith("<inertia>: none, as of a point")


def test_a_mass_of_zero_needs_no_inertia(read):
    _, model, report = read(robot(link("a") + link("b", stated(0.0)) + joint("j", "a", "b")))
    assert model.body("b").mass[0] == 0.0
    assert not report.notes


def test_the_moments_of_a_root_that_stands_for_the_world_are_nobodys(read):
    _, model, report = read(robot(link("world", stated(3.0) + COLLISION) + link("b") + joint("j", "world", "b")))
    assert model.body_mass.sum() == pytest.approx(2.0)
    assert any("the mass of link 'world'" in note.text for note in report.of_kind("dropped"))
