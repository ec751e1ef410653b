"""What the links of a URDF weigh, above all where the file does not say it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.reader import read_urdf

from .conftest import BOX, INERTIAL, joint, link, robot

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
