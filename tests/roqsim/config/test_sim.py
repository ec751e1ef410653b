from __future__ import annotations

import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import fields_of, json_schema, read
from roqsim.config.sim import ContactOverride, SimOptions, View, check_contact_floor
from roqsim.errors import ConfigError


def sim(text):
    return read(SimOptions, loads(text, "w.yaml"), "sim")


def told(text):
    with pytest.raises(ConfigError) as caught:
        sim(text)
    return str(caught.value)


@pytest.mark.parametrize("key", ["pacing", "timestep", "gravity"])
def test_a_number_beyond_every_float_is_refused(key):
    value = 10**400 if key != "gravity" else f"[0, 0, {10**400}]"
    assert f"sim.{key}" in told(f"{key}: {value}")


def test_an_empty_block_leaves_everything_to_mujoco():
    options = sim("")
    stated = {info.name for info in fields_of(SimOptions) if getattr(options, info.name) is not None}
    assert stated == {"dedup_assets", "on_divergence"}


def test_the_whole_block_is_read():
    options = sim("""
    name: yard
    timestep: 1e-3
    pacing: realtime
    world: empty_room
    seed: 7
    integrator: implicitfast
    solver: newton
    iterations: 50
    ls_iterations: 20
    noslip_iterations: 10
    impratio: 2
    cone: elliptic
    gravity: [0, 0, -1.62]
    density: 1.2
    viscosity: 1.8e-5
    wind: [1, 0, 0]
    contact_override: {solref: [0.02, 1], solimp: [0.9], friction: [1, 1, 0.005]}
    dedup_assets: false
    view: {lookat: [0, 0, 1], distance: 3, azimuth: 90, elevation: -20, track: robot}
    on_divergence: reset
    sync: {enabled: false}
    """)
    assert options.timestep == 0.001
    assert options.gravity == (0.0, 0.0, -1.62)
    assert options.contact_override == ContactOverride(solref=(0.02, 1.0), solimp=(0.9,), friction=(1.0, 1.0, 0.005))
    assert options.view == View(lookat=(0.0, 0.0, 1.0), distance=3.0, azimuth=90.0, elevation=-20.0, track="robot")
    assert (options.on_divergence, options.dedup_assets) == ("reset", False)


@pytest.mark.parametrize(
    ("text", "pacing"),
    [("realtime", "realtime"), ("asap", "asap"), ("2", 2.0), ("0.5", 0.5), ("{factor: 4}", 4.0)],
)
def test_every_spelling_of_the_pacing_is_read(text, pacing):
    assert sim(f"pacing: {text}").pacing == pacing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pacing: fast", "sim.pacing: expected 'realtime', 'asap' or a factor > 0, got 'fast' at w.yaml:1"),
        (
            "pacing: asp",
            "sim.pacing: expected 'realtime', 'asap' or a factor > 0, got 'asp' at w.yaml:1; did you mean 'asap'?",
        ),
        ("pacing: 0", "sim.pacing: expected 'realtime', 'asap' or a factor > 0, got 0 at w.yaml:1"),
        ("pacing: .inf", "sim.pacing: expected 'realtime', 'asap' or a factor > 0, got inf at w.yaml:1"),
        (
            "pacing: {}",
            "sim.pacing: expected 'realtime', 'asap' or a factor > 0, got an empty mapping at w.yaml:1; add 'factor'",
        ),
        ("pacing: {factor: -1}", "sim.pacing.factor: expected float > 0, got -1 at w.yaml:1"),
        (
            "pacing: {fctor: 1}",
            "sim.pacing.fctor: expected a known key, got 'fctor' at w.yaml:1; did you mean 'factor'?",
        ),
        (
            "sync: {enabled: true}",
            "sim.sync.enabled: expected false, got True at w.yaml:1; lockstep is not available yet, remove it",
        ),
        ("seed: -1", "sim.seed: expected int >= 0, got -1 at w.yaml:1"),
        ("seed: 1.5", "sim.seed: expected int >= 0, got 1.5 at w.yaml:1"),
        ("timestep: 0", "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 0 at w.yaml:1"),
        (
            "timestep: '1e-3'",
            "sim.timestep: expected float >= 1e-06 and <= 1 (s), got '1e-3' at w.yaml:1; write it without quotes",
        ),
        (
            "integrator: rk45",
            "sim.integrator: expected 'euler', 'rk4', 'implicit', 'implicitfast', 'discrete', got "
            "'rk45' at w.yaml:1; did you mean 'rk4'?",
        ),
        (
            "contact_override: {solref: [1, 2, 3]}",
            "sim.contact_override.solref: expected a list of 1 to 2 float, got [1, 2, 3] at w.yaml:1",
        ),
        (
            "contact_override: {solref: []}",
            "sim.contact_override.solref: expected a list of 1 to 2 float, got [] at w.yaml:1",
        ),
        (
            "contact_override: {sollref: [1]}",
            "sim.contact_override.sollref: expected a known key, got 'sollref' at w.yaml:1; did you mean 'solref'?",
        ),
        (
            "view: {lookat: [1, 2, 3], zoom: 2}",
            "sim.view.zoom: expected a known key, got 'zoom' at w.yaml:1; there is 'azimuth', "
            "'distance', 'elevation', 'follow_heading', 'lookat', 'track'",
        ),
        (
            "view: {follow_heading: true}",
            "sim.view.follow_heading: expected track beside it, got none at w.yaml:1; name the entity to turn with",
        ),
        (
            "headless: true",
            "sim.headless: expected a known key, got 'headless' at w.yaml:1; there is "
            "'cone', 'contact_override', 'dedup_assets', 'density', 'gravity', 'impratio', "
            "'integrator', 'iterations', 'ls_iterations', 'name' and 11 more",
        ),
    ],
)
def test_a_wrong_value_is_told_exactly(text, message):
    assert told(text) == message


def test_a_contact_time_constant_below_two_steps_is_refused_naming_the_floor():
    assert told("timestep: 0.002\ncontact_override: {solref: [0.0005, 1]}") == (
        "sim.contact_override.solref: expected a time constant >= 0.004 s (2 * timestep), got 0.0005 at w.yaml:2; "
        "raise it, or lower sim.timestep"
    )


def test_the_floor_itself_and_a_stiffness_are_allowed():
    assert sim("timestep: 0.002\ncontact_override: {solref: [0.004]}").contact_override.solref == (0.004,)
    assert sim("timestep: 0.002\ncontact_override: {solref: [-1000, -5]}").contact_override.solref == (-1000.0, -5.0)


@pytest.mark.parametrize("solref", ["[0, 1]", "[0, 0]", "[-100]", "[-100, 1]", "[0.05, -1]", "[0.05, 0]"])
def test_a_contact_of_two_kinds_which_mujoco_would_replace_is_refused(solref):
    assert told(f"contact_override: {{solref: {solref}}}").startswith(
        "sim.contact_override.solref: expected positive numbers (time constant, damping ratio) or two negative ones "
        "(-stiffness, -damping), got ["
    )


def test_the_floor_of_the_models_own_step_is_checked_at_compile():
    override = sim("contact_override: {solref: [0.003]}").contact_override
    check_contact_floor(override, 0.001)
    check_contact_floor(ContactOverride(), 0.1)
    with pytest.raises(ConfigError) as caught:
        check_contact_floor(override, 0.002)
    assert str(caught.value) == (
        "sim.contact_override.solref: expected a time constant >= 0.004 s (2 * timestep), got 0.003; "
        "raise it, or lower sim.timestep"
    )


def test_every_option_is_documented():
    assert [info.name for info in fields_of(SimOptions) if not info.doc] == []
    assert json_schema(SimOptions)["properties"]["pacing"]["anyOf"][0]["anyOf"][0] == {"enum": ["realtime", "asap"]}
