"""Physics options that change while a world runs."""

from __future__ import annotations

import dataclasses

import pytest
from roqsim.drivers.verify import verify
from roqsim.errors import ConfigError, RoqsimError
from roqsim.plugins.option_control import OptionControl
from roqsim.recording import open_recording, record
from roqsim.recording.options import options_of
from roqsim.runtime_options import NAMES, OptionsEpoch, OptionsSnapshot, RuntimeOptions
from roqsim.testing import check_plugin

H = 0.002
WORLD = {
    "sim": {"timestep": H, "integrator": "euler", "gravity": [0, 0, -9.81]},
    "components": [
        {"boxes": {"instances": [{"name": "box", "size": [0.2, 0.2, 0.2], "pose": {"position": {"z": 50}}}]}},
        {"option_control": {}},
    ],
}


@pytest.fixture
def engine(world):
    return world(WORLD)


def options(engine):
    return RuntimeOptions.of(engine.ctx)


def port(engine, name):
    return engine.ctx.interface.get("sim/options", name)


def test_a_fall_goes_on_on_the_moon_from_the_step_at_which_gravity_changes(engine):
    engine.advance(100)
    port(engine, "set").write({"gravity": [0.0, 0.0, -1.62]})
    engine.advance(100)
    assert engine.ctx.data.qvel[2] == pytest.approx(-(9.81 + 1.62) * 100 * H)


def test_a_snapshot_has_every_option_typed_and_what_it_says_can_be_said_again(engine):
    snapshot = port(engine, "current").read()
    assert isinstance(snapshot, OptionsSnapshot)
    assert (snapshot.gravity, snapshot.integrator, snapshot.solver) == ((0.0, 0.0, -9.81), "euler", "newton")
    assert set(snapshot.values()) == set(NAMES)
    again = options(engine).patch(snapshot.values())
    assert dataclasses.replace(again, epoch=snapshot.epoch) == snapshot
    port(engine, "set").write(snapshot)


def test_every_success_begins_an_epoch_and_a_refusal_none(engine):
    assert options(engine).snapshot().epoch == OptionsEpoch(1, 0)
    assert options(engine).patch({"impratio": 10.0}).epoch == OptionsEpoch(1, 1)
    with pytest.raises(ConfigError):
        options(engine).patch({"impratio": -1.0})
    assert options(engine).patch({"wind": [1, 0, 0], "density": 1.2}).epoch == OptionsEpoch(1, 2)
    assert OptionsEpoch(2) != 2


def test_with_one_mistake_nothing_changes_and_every_mistake_is_named(engine):
    before = options(engine).snapshot()
    with pytest.raises(ConfigError) as caught:
        port(engine, "set").write(
            {"gravity": [0, 0, -1.0], "solver": "newtn", "densty": 1.0, "timestep": 0.001, "wind": [0, 0], "cone": None}
        )
    assert options(engine).snapshot() == before
    assert str(caught.value).splitlines() == [
        "sim/options/set.cone: expected a value, got null",
        "sim/options/set.densty: expected an option that can change while it runs, got 'densty'; "
        "did you mean 'density'?",
        "sim/options/set.solver: expected 'newton', 'cg', 'pgs', got 'newtn'; did you mean 'newton'?",
        next(line for line in str(caught.value).splitlines() if line.startswith("sim/options/set.timestep: ")),
        "sim/options/set.wind: expected a list of 3 float (m/s), got [0, 0]",
    ]
    assert "'timestep' holds for the whole run" in str(caught.value)


@pytest.mark.parametrize("payload", [None, 3, "gravity", ["gravity"]])
def test_a_command_that_is_no_mapping_is_refused(engine, payload):
    with pytest.raises(RoqsimError, match="^sim/options/set: expected a mapping of options to their values, got"):
        port(engine, "set").write(payload)


def test_a_reset_goes_back_to_what_the_world_declares(engine):
    before = options(engine).snapshot()
    options(engine).patch({"gravity": [0, 0, 0], "integrator": "rk4", "cone": "elliptic", "iterations": 7})
    engine.advance(10)
    engine.reset()
    after = options(engine).snapshot()
    assert after.epoch == OptionsEpoch(2, 0) > before.epoch
    assert dataclasses.replace(after, epoch=before.epoch) == before
    engine.advance(100)
    assert engine.ctx.data.qvel[2] == pytest.approx(-9.81 * 100 * H)


def test_an_option_that_a_component_sets_is_refused_naming_it(engine, world):
    options(engine).claim("wind", "gusts")
    with pytest.raises(
        ConfigError, match=r"^options\.wind: expected an option that no component sets, got 'wind'; 'gusts'"
    ):
        options(engine).patch({"wind": [1, 0, 0]})
    with pytest.raises(RoqsimError, match="^breeze: expected to be the only one that sets wind, got 'gusts' too"):
        options(engine).claim("wind", "breeze")
    with pytest.raises(
        RoqsimError, match=r"^gusts: expected to be the only one that sets gravity, got sim\.gravity too"
    ):
        options(engine).claim("gravity", "gusts")
    with pytest.raises(ValueError, match="did you mean 'wind'"):
        options(engine).claim("wnd", "gusts")


def test_a_change_is_recorded_with_its_tick(engine, tmp_path):
    record(engine, tmp_path / "run.npz")
    engine.reset()
    engine.advance(40)
    engine.ctx.post(lambda ctx: port(engine, "set").write({"gravity": [0, 0, -1.62]}))
    engine.advance(40)
    engine.shutdown()
    recording = open_recording(tmp_path / "run.npz")
    (event,) = [event for event in recording.events if event.kind == "option"]
    assert (event.tick, event.name, event.value) == (40, "gravity", [0.0, 0.0, -1.62])


def test_it_keeps_the_plugin_contract():
    check_plugin(OptionControl, WORLD)


G = 9.81


def sliding(world, sim=None, friction=0.5):
    """A box on the ground, and its options."""
    box = {"name": "box", "size": [0.2, 0.2, 0.2], "mass": 1.0, "friction": friction, "pose": {"position": {"z": 0.1}}}
    block = {"timestep": 0.002, "cone": "elliptic", "impratio": 100, "gravity": [0, 0, -G], **(sim or {})}
    engine = world({"sim": block, "components": [{"boxes": {"instances": [box]}}, {"option_control": {}}]})
    engine.advance(500)
    return engine, options(engine)


def slide(engine, speed=1.0):
    """How far the box goes with a push, m; v^2 / (2 mu g) by Coulomb's law."""
    engine.ctx.data.qvel[0] = speed
    begin = engine.ctx.data.qpos[0]
    engine.advance(1000)
    return engine.ctx.data.qpos[0] - begin


def test_a_friction_for_every_contact_shortens_the_slide_and_none_gives_the_geoms_theirs_back(world):
    engine, changeable = sliding(world)
    # The ground's friction of 1 is the greater one of the two, and counts.
    assert slide(engine) == pytest.approx(1.0 / (2 * 1.0 * G), rel=0.05)
    assert changeable.snapshot().contact_override is None
    changeable.patch({"contact_override": {"friction": [0.1, 0.1]}})
    assert slide(engine) == pytest.approx(1.0 / (2 * 0.1 * G), rel=0.05)
    changeable.patch({"contact_override": None})
    assert slide(engine) == pytest.approx(1.0 / (2 * 1.0 * G), rel=0.05)


def test_a_margin_for_every_contact_lifts_what_rests(world):
    engine, changeable = sliding(world)
    low = engine.ctx.data.qpos[2]
    changeable.patch({"contact_override": {"margin": 0.05}})
    engine.advance(1000)
    assert engine.ctx.data.qpos[2] - low == pytest.approx(0.05, abs=1e-4)


def test_a_softer_contact_lets_what_rests_sink_deeper(world):
    engine, changeable = sliding(world)
    low = engine.ctx.data.qpos[2]
    changeable.patch({"contact_override": {"solref": [0.2]}})
    engine.advance(2000)
    assert engine.ctx.data.qpos[2] < low - 0.003


def test_parameters_that_are_not_named_stay_as_they_are(world):
    engine, changeable = sliding(world, {"contact_override": {"solref": [0.03, 0.9], "friction": [0.4]}})
    changeable.patch({"contact_override": {"solref": [0.05]}})
    found = changeable.patch({"contact_override": {"solimp": [0.8]}}).contact_override
    assert found.solref == (0.05, 0.9)
    assert found.friction[:2] == (0.4, 1.0)
    assert found.solimp == (0.8, 0.95, 0.001, 0.5, 2.0)
    engine.reset()
    assert changeable.snapshot().contact_override.solref == (0.03, 0.9)


def test_a_reset_ends_an_override_that_no_world_declares_to_the_last_bit(world):
    engine, changeable = sliding(world)
    before = options_of(engine.ctx.model)
    changeable.patch({"contact_override": {"margin": 0.01, "friction": [0.1], "solimp": [0.5]}})
    assert options_of(engine.ctx.model) != before
    engine.reset()
    assert options_of(engine.ctx.model) == before


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ({"frction": [1]}, "options.contact_override.frction: expected a known key, got 'frction'; did you mean"),
        ({"margin": -1}, "options.contact_override.margin: expected float >= 0 (m), got -1"),
        ({"solref": [0.001]}, "options.contact_override.solref: expected a time constant >= 0.004 s (2 * timestep)"),
        ({"solref": [-100]}, "options.contact_override.solref: expected positive numbers (time constant, damping"),
        ({"solimp": [0.9] * 6}, "options.contact_override.solimp: expected a list of 1 to 5 float"),
        ({}, "options.contact_override: expected a mapping with one of 'margin', 'solref', 'solimp', 'friction', got"),
        (3, "options.contact_override: expected a mapping"),
    ],
)
def test_a_wrong_override_changes_nothing_else_either(world, override, reason):
    engine, changeable = sliding(world)
    before = options_of(engine.ctx.model)
    with pytest.raises(ConfigError) as caught:
        changeable.patch({"contact_override": override, "gravity": [0, 0, 0]})
    assert str(caught.value).startswith(reason)
    assert options_of(engine.ctx.model) == before


def test_an_override_is_recorded_and_the_run_repeats_to_the_bit(world, tmp_path):
    engine, _ = sliding(world)
    record(engine, tmp_path / "run.npz")
    engine.reset()
    engine.advance(20)
    engine.ctx.post(lambda ctx: port(engine, "set").write({"contact_override": {"margin": 0.05, "friction": [0.2]}}))
    engine.advance(200)
    engine.shutdown()
    recording = open_recording(tmp_path / "run.npz")
    changed = {event.name for event in recording.events if event.kind == "option"}
    assert changed == {"enableflags", "o_friction", "o_margin"}
    verdict = verify(tmp_path / "run.npz")
    verdict.check()
    assert verdict.equal == verdict.samples == len(recording) > 0
