from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.presence import set_present
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.clearance_monitor import ClearanceMonitor, ClearanceMonitorConfig

BALL = """<mujoco><option gravity="0 0 0"/><worldbody><body name="ball"><joint name="x" type="slide" axis="1 0 0"/>
<geom name="ball" size=".1" mass="1"/><geom name="shell" size=".5" contype="0" conaffinity="0" mass="0"/></body>
</worldbody></mujoco>"""
PILLAR = """<mujoco><worldbody><body name="pillar"><geom name="core" size=".2"/>
<geom name="halo" size=".4" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
DT = 0.002


@pytest.fixture
def passing(world, tmp_path):
    """A ball that flies along x at 1 m/s past a round pillar at (1, 0.5); gives engine and reading."""
    (tmp_path / "ball.xml").write_text(BALL)
    (tmp_path / "pillar.xml").write_text(PILLAR)

    def make(*, present=True, timestep=DT, speed=1.0, beside=0.5, **config):
        monitor = {"clearance_monitor": config, "name": "room"}
        ball = {"spawn_model": {"model": "ball.xml", "pose": {"position": [0, 0, 1]}}, "name": "ball",
                "components": [monitor]}  # fmt: skip
        pillar = {"spawn_model": {"model": "pillar.xml", "motion": "static", "pose": {"position": [1, beside, 1]}},
                  "name": "pillar", "present": present}  # fmt: skip
        engine = world(
            {"sim": {"timestep": timestep, "gravity": [0, 0, 0]}, "components": [pillar, ball]}, base_dir=tmp_path
        )
        engine.ctx.data.qvel[0] = speed
        engine.ctx.state_changed()
        return engine, engine.ctx.blackboard.require("clearance_monitor:room")

    return make


def clearance(x: float) -> float:
    return math.hypot(1.0 - x, 0.5) - 0.1 - 0.2


def test_the_distance_of_two_spheres_is_that_of_their_centres_less_their_radii(passing):
    engine, state = passing()
    for _ in range(10):
        engine.advance(100)
        report = state()
        x = engine.ctx.data.qpos[0]
        assert report.distance == pytest.approx(clearance(x), abs=1e-9)
        assert report.stamp_ns == engine.ctx.time_ns
        assert (report.now.part.entity, report.now.part.geom) == ("ball", "ball_ball")
        assert (report.now.other.entity, report.now.other.geom) == ("pillar", "pillar_core")
        towards = np.array([1.0 - x, 0.5, 0.0]) / math.hypot(1.0 - x, 0.5)
        np.testing.assert_allclose(report.now.p_part, [x, 0, 1] + 0.1 * towards, atol=1e-9)
        np.testing.assert_allclose(report.now.p_other, [1, 0.5, 1] - 0.2 * towards, atol=1e-9)


def test_the_closest_approach_between_two_samples_is_kept_with_its_time_and_place(passing):
    engine, state = passing(rate_hz=1)
    engine.advance(1000)
    report = state()
    assert report.distance > 0.8
    assert report.minimum == pytest.approx(0.2, abs=1e-5)
    assert report.closest.stamp_ns == pytest.approx(1e9, abs=6e6)
    assert report.closest.other.entity == "pillar"
    np.testing.assert_allclose(report.closest.p_part, [1, 0.1, 1], atol=0.01)


def test_it_measures_at_its_own_rate_and_publishes_at_another(passing, monkeypatch):
    engine, _ = passing(rate_hz=10)
    ticks = []
    real = ClearanceMonitor._measure
    monkeypatch.setattr(ClearanceMonitor, "_measure", lambda self: ticks.append(self._ctx.tick) or real(self))
    engine.advance(20)
    assert ticks == list(range(2, 21, 2))
    assert engine.ctx.interface.get("ball", "clearance").rate.every_steps == 50


def test_the_default_rate_fits_every_step_without_a_warning(passing, caplog):
    for timestep in (0.001, 0.002, 0.003, 0.004, 0.005, 0.01):
        engine, _ = passing(timestep=timestep)
        (rate,) = engine.ctx.schedules.values()
        assert rate.realised_hz >= min(200.0, 1.0 / timestep) - 1e-6
    assert not [record for record in caplog.records if "room" in record.getMessage()]


def test_where_physics_is_slower_than_200_hz_it_measures_every_step(passing, monkeypatch):
    engine, _ = passing(timestep=0.01)
    ticks = []
    real = ClearanceMonitor._measure
    monkeypatch.setattr(ClearanceMonitor, "_measure", lambda self: ticks.append(self._ctx.tick) or real(self))
    engine.advance(5)
    assert ticks == [1, 2, 3, 4, 5]


def test_what_is_absent_is_not_near_and_is_at_once_when_it_comes(passing):
    engine, state = passing(present=False, reach=3.0)
    engine.advance(100)
    assert math.isinf(state().distance)
    assert state().now.other is None
    set_present(engine.ctx, "pillar", True)
    assert state().distance == pytest.approx(clearance(engine.ctx.data.qpos[0]), abs=1e-9)
    set_present(engine.ctx, "pillar", False)
    assert math.isinf(state().distance)


def test_it_sees_a_pose_that_was_set_while_paused(passing):
    engine, state = passing(speed=0.0)
    engine.advance(10)
    engine.ctx.data.qpos[0] = 0.7
    engine.ctx.state_changed()
    assert state().distance == pytest.approx(clearance(0.7), abs=1e-9)


def test_the_ground_counts_only_where_it_is_asked_for(passing):
    engine, state = passing(speed=0.0, ground=True)
    engine.ctx.data.qpos[0] = -1.0
    engine.advance(5)
    assert state().distance == pytest.approx(0.9)
    assert state().now.other.geom == "floor"
    assert state().now.p_other[2] == pytest.approx(0.0)


def test_it_never_ends_a_run_and_measures_an_overlap_as_negative(passing):
    engine, state = passing(speed=0.0, beside=0.2)
    engine.ctx.data.qpos[0] = 1.0
    engine.ctx.state_changed()
    assert state().distance == pytest.approx(-0.1, abs=1e-6)
    engine.advance(2)
    assert state().minimum < 0.0
    assert not engine.ctx.stop_requested


def test_what_is_ignored_is_not_measured(passing):
    _, state = passing(ignore=["pillar"], reach=3.0)
    assert math.isinf(state().distance)


def test_a_reset_forgets_the_closest_approach(passing):
    engine, state = passing()
    engine.advance(1000)
    engine.reset()
    assert state().minimum == state().distance == pytest.approx(clearance(0.0), abs=1e-9)


def test_a_reset_gives_the_same_series_to_the_bit():
    check_plugin(
        ClearanceMonitor,
        """
        components:
          - boxes:
              instances:
                - {name: crate, size: [0.4, 0.4, 0.4], pose: {position: [0, 0, 1], orientation: {roll: 0.4}}}
                - {name: other, size: [0.2, 0.2, 0.2], pose: {position: [0.6, 0, 0.1]}}
          - clearance_monitor: {entity: crate}
        """,
    )


def test_the_hints_of_a_transport_name_two_numbers(passing):
    engine, _ = passing()
    names = ("clearance", "clearance_minimum")
    hints = {name: engine.ctx.interface.get("ball", name).backend["ros2"] for name in names}
    assert hints["clearance"] == {"type": "std_msgs.msg.Float64", "topic": "clearance", "field": "distance"}
    assert hints["clearance_minimum"]["field"] == "minimum"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{reach: 0}", r"c\.reach: expected float > 0 \(m\), got 0"),
        ("{compute_rate_hz: 0}", r"c\.compute_rate_hz: expected float > 0 \(Hz\), got 0"),
        ("{rate_hz: -1}", r"c\.rate_hz: expected float > 0 \(Hz\), got -1"),
        ("{stop: true}", r"c\.stop: expected a known key, got 'stop'"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(ClearanceMonitorConfig, loads(config, "w.yaml"), "c")


def test_a_rate_above_physics_is_refused(passing):
    with pytest.raises(RoqsimError, match=r"ball\.room\.post_step: expected a rate <= 500 Hz"):
        passing(compute_rate_hz=1000)


def test_render_only_geometry_can_not_be_watched_alone(passing):
    with pytest.raises(RoqsimError, match=r"ball\.room: expected something to watch that can touch, got 'ball'"):
        passing(geoms=["shell"])


def test_the_schema_describes_every_key():
    properties = json_schema(ClearanceMonitorConfig)["properties"]
    assert all(each.get("description") for each in properties.values())
