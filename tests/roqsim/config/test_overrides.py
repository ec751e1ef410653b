from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.entries import parse_entries
from roqsim.config.nodes import Origin, from_plain, loads
from roqsim.config.overrides import (
    Pass,
    assignments,
    from_file,
    from_set,
    overrides_from_dotlist,
)
from roqsim.errors import ConfigError

WORLD = """
sim: {timestep: 0.002, pacing: realtime, view: {distance: 3}}
components:
  - spawn: {model: a, pose: {position: {x: 1, y: 2}}, parts: [1, 2]}
    name: robot
    components:
      - mount: {}
        name: top
        components:
          - lidar: {rays: 10, topics: {a.b: old}}
  - "./plugins/x.py:Foo": {gain: 1}
  - lidar: {}
    name: wall_lidar
"""

KEYS = {"spawn": frozenset({"model", "pose", "parts"}), "mount": frozenset({"model"}), "lidar": None}


class World:
    def __init__(self, text=WORLD, keys=KEYS):
        node, problems = loads(text, "w.yaml"), []
        self.sim = node.get("sim")
        self.specs = parse_entries(node.get("components"), base_dir=Path("/here"), problems=problems)
        self.keys = lambda spec: keys.get(spec.ref)

    def applied(self, overrides, **options):
        once = Pass(self.sim, self.specs, self.keys, **{"is_last": True, **options})
        once.apply(assignments(overrides))
        self.problems = [str(problem) for problem in once.problems]
        return self

    def config(self, address):
        return next(spec for spec in self.specs if spec.address == address).config.plain()

    def state(self):
        return self.sim.plain(), [(s.address, s.config.plain(), s.enabled, s.present) for s in self.specs]


def one(override, text=WORLD):
    world = World(text).applied(override)
    (problem,) = world.problems
    return problem


def test_a_path_is_consumed_while_it_names_components():
    world = World().applied({"components": {"robot": {"top": {"lidar": {"rays": 720}}, "model": "b"}}})
    assert world.problems == []
    assert world.config("robot.top.lidar")["rays"] == 720
    assert world.config("robot")["model"] == "b"


@pytest.mark.parametrize(
    "nested",
    [
        {"components": {"robot.top.lidar": {"rays": 720}}},
        {"components.robot.top.lidar.rays": 720},
        {"components": {"robot": {"top.lidar.rays": 720}}},
        [from_set("components.robot.top.lidar.rays=720")],
        ["components.robot.top.lidar.rays=720"],
    ],
)
def test_every_spelling_is_the_same_assignment(nested):
    expected = World().applied({"components": {"robot": {"top": {"lidar": {"rays": 720}}}}})
    assert World().applied(nested).state() == expected.state()


def test_mappings_merge_and_scalars_and_lists_replace():
    world = World().applied(
        {"sim": {"view": {"azimuth": 9}}, "components": {"robot": {"pose": {"position": {"x": 5}}, "parts": [3]}}}
    )
    assert world.sim.plain()["view"] == {"distance": 3, "azimuth": 9}
    assert world.config("robot") == {"model": "a", "pose": {"position": {"x": 5, "y": 2}}, "parts": [3]}


def test_a_mapping_takes_the_place_of_a_scalar():
    assert World().applied(["sim.pacing.factor=4"]).sim.plain()["pacing"] == {"factor": 4}


def test_an_empty_mapping_creates_a_key_and_clears_none():
    world = World().applied({"components": {"robot": {"pose": {}}, "wall_lidar": {"topics": {}}}})
    assert world.config("robot")["pose"] == {"position": {"x": 1, "y": 2}}
    assert world.config("wall_lidar") == {"topics": {}}


def test_a_later_assignment_wins():
    assert World().applied(["sim.timestep=1", "sim.timestep=2"]).sim.plain()["timestep"] == 2


def test_labels_and_keys_that_hold_dots_are_matched_as_a_whole():
    world = World().applied(
        ["components../plugins/x.py:Foo.gain=3", "components.robot.top.lidar.topics.a.b=new", "sim.view.distance=1e-1"]
    )
    assert world.problems == []
    assert world.config("./plugins/x.py:Foo") == {"gain": 3}
    assert world.config("robot.top.lidar")["topics"] == {"a.b": "new"}
    assert world.sim.plain()["view"]["distance"] == 0.1


def test_switches_are_set_on_the_entry_and_not_in_its_configuration():
    world = World().applied(["components.robot.enabled=false", "components.robot.top.present=false"])
    states = {address: (enabled, present) for address, _, enabled, present in world.state()[1]}
    assert states["robot"] == (False, None)
    assert states["robot.top"] == (True, False)
    assert "enabled" not in world.config("robot")


def test_a_switch_that_the_plugin_knows_as_a_key_is_a_key():
    keys = {**KEYS, "lidar": frozenset({"enabled"})}
    world = World(keys=keys).applied(["components.wall_lidar.enabled=false"])
    assert world.config("wall_lidar") == {"enabled": False}


def test_the_first_pass_leaves_what_it_cannot_place_to_the_second():
    items = assignments(["components.robot.camera.rate=3", "components.clock.rate=3", "components.robot.model=b"])
    world = World()
    first = Pass(world.sim, world.specs, world.keys, is_last=False)
    first.apply(items)
    assert (first.problems, [item.is_applied for item in items]) == ([], [False, False, True])


def test_the_first_pass_does_not_take_a_component_for_a_key_of_an_untyped_plugin():
    items = assignments(["components.robot.top.lidar.extra.rays=3"])
    world = World()
    Pass(world.sim, world.specs, world.keys, is_last=False).apply(items)
    assert not items[0].is_applied
    Pass(world.sim, world.specs, world.keys, is_last=True).apply(items)
    assert world.config("robot.top.lidar")["extra"] == {"rays": 3}


@pytest.mark.parametrize(
    ("override", "told"),
    [
        (
            "components.robt.model=b",
            "components.robt.model: expected the address of a component, got 'robt' at --set "
            "components.robt.model=b; did you mean 'robot'?",
        ),
        (
            "components.lidar.rays=1",
            "components.lidar.rays: expected the address of a component, got 'lidar' at --set "
            "components.lidar.rays=1; "
            "the world has 'lidar' at 'robot.top.lidar', 'wall_lidar'",
        ),
        (
            "components.zzz.rays=1",
            "components.zzz.rays: expected the address of a component, got 'zzz' at --set "
            "components.zzz.rays=1; "
            "the world has robot (spawn), robot.top (mount), robot.top.lidar, ./plugins/x.py:Foo, wall_lidar (lidar)",
        ),
        (
            "components.robot.modl=b",
            "components.robot.modl: expected a component or key of components.robot, got 'modl' at "
            "--set components.robot.modl=b; did you mean 'model'?",
        ),
        (
            "components.robot.tpo.x=b",
            "components.robot.tpo.x: expected a component or key of components.robot, got 'tpo' at "
            "--set components.robot.tpo.x=b; did you mean 'top'?",
        ),
        (
            "components.robot=3",
            "components.robot: expected a mapping, got 3 at --set components.robot=3; name a key, "
            "such as components.robot.enabled",
        ),
        (
            "components=[a]",
            "components: expected a mapping by address, got ['a'] at --set components=[a]; write "
            "'components: {<name>: {<key>: value}}'",
        ),
        (
            "components.robot.enabled=no",
            "components.robot.enabled: expected true or false, got 'no' at --set components.robot.enabled=no",
        ),
        (
            "components.robot.name=b",
            "components.robot.name: expected no reserved key in a configuration, got 'name' at --set "
            "components.robot.name=b; a name cannot be overridden",
        ),
        (
            "components.robot.components.top.x=b",
            "components.robot.components.top.x: expected no reserved key in a configuration, got "
            "'components' "
            "at --set components.robot.components.top.x=b; address a nested component as components.robot.<name>",
        ),
        (
            "components.robot.parts.0=b",
            "components.robot.parts.0: expected a path that ends before a list, got [1, 2] at --set "
            "components.robot.parts.0=b; assign the whole list",
        ),
        ("sim=3", "sim: expected a mapping, got 3 at --set sim=3; name a key, such as sim.timestep"),
        (
            "plugins.robot.model=b",
            "plugins.robot.model: expected a path that begins with 'sim' or 'components', got "
            "'plugins' at --set plugins.robot.model=b; write 'components.robot.model'",
        ),
        (
            "robot.model=b",
            "robot.model: expected a path that begins with 'sim' or 'components', got 'robot' at "
            "--set robot.model=b; did you mean 'components.robot.model'?",
        ),
        (
            "timestep=1",
            "timestep: expected a path that begins with 'sim' or 'components', got 'timestep' at "
            "--set timestep=1; did you mean 'sim.timestep'?",
        ),
        (
            "component.robot.model=b",
            "component.robot.model: expected a path that begins with 'sim' or 'components', got "
            "'component' at --set component.robot.model=b; did you mean 'components'?",
        ),
    ],
)
def test_what_matches_nothing_is_refused_and_told_what_there_is(override, told):
    assert one([override]) == told


def test_a_world_without_components_says_so():
    told = one(["components.a.b=1"], "sim: {}\n")
    assert told.endswith("got 'a' at --set components.a.b=1; the world has no components")


def test_what_its_manifest_was_read_by_cannot_change_afterwards():
    frozen = {"robot.top": frozenset({"model"})}
    world = World().applied(["components.robot.top.model=b", "components.robot.top.lidar.rays=3"], frozen=frozen)
    assert world.problems == [
        "components.robot.top.model: expected a key that its manifest does not depend on, got 'model' at "
        "--set components.robot.top.model=b; declare 'mount: {model: …}' named 'top' in the world inside 'robot'"
    ]
    assert world.config("robot.top.lidar")["rays"] == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "sim.timestep",
            "sim.timestep: expected PATH=VALUE, got 'sim.timestep' at --set sim.timestep; write for "
            "example sim.timestep=0.001",
        ),
        ("=3", "=3: expected PATH=VALUE, got '=3' at --set =3; write for example sim.timestep=0.001"),
        (
            "sim.a=[1",
            "--set sim.a=[1: expected valid YAML, got \"expected ',' or ']', but got '<stream "
            "end>'\" at --set sim.a=[1; close the bracket",
        ),
    ],
)
def test_what_is_no_assignment_is_refused(text, told):
    with pytest.raises(ConfigError) as caught:
        from_set(text)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-3", 0.001), ("1e-05", 1e-05), ("on", "on"), ("", None), ("a=b", "a=b"), ("[1, x]", [1, "x"]), ("'3'", "3")],
)
def test_the_value_of_an_assignment_is_yaml_1_2(text, value):
    assert World().applied([f"sim.x={text}"]).sim.plain()["x"] == value


def test_a_mapping_as_a_value_merges():
    assert World().applied(["sim.view={azimuth: 1, lookat: [1, 2, 3]}"]).sim.plain()["view"] == {
        "distance": 3,
        "azimuth": 1,
        "lookat": [1, 2, 3],
    }


def test_a_file_holds_what_the_command_line_says_and_names_its_lines(write):
    write("o.yaml", "sim:\n  timestep: 1e-05\ncomponents:\n  robot.top.lidar: {rays: 3}\n  robt: {model: b}\n")
    world = World().applied([from_file("o.yaml"), from_set("sim.timestep=0.5")])
    assert world.sim.plain()["timestep"] == 0.5
    assert world.config("robot.top.lidar")["rays"] == 3
    assert world.problems == [
        "components.robt.model: expected the address of a component, got 'robt' at --override o.yaml:5; "
        "did you mean 'robot'?"
    ]


def test_an_empty_file_overrides_nothing(write):
    assert from_file(write("o.yaml", "")) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "- a",
            "overrides: expected a mapping, got ['a'] at --override o.yaml:1; write 'sim:' and "
            "'components:' with what to change",
        ),
        (
            "plugins: {a: {b: 1}}",
            "plugins.a.b: expected a path that begins with 'sim' or 'components', got 'plugins' at "
            "--override o.yaml:1; write 'components.a.b'",
        ),
        (
            "components:\n- lidar: {}",
            "components: expected a mapping by address, got [{'lidar': {}}] at --override o.yaml:2; "
            "write 'components: {<name>: {<key>: value}}'",
        ),
        (
            "extends: x",
            "extends: expected a path that begins with 'sim' or 'components', got 'extends' at "
            "--override o.yaml:1; there is 'components', 'sim'",
        ),
    ],
)
def test_an_override_file_holds_sim_and_components_only(write, text, told):
    write("o.yaml", text)
    with pytest.raises(ConfigError) as caught:
        world = World().applied([from_file("o.yaml")])
        raise ConfigError(world.problems)
    assert str(caught.value) == told


def test_applying_overrides_leaves_them_as_they_were():
    items = from_set("sim.x=[1]")
    World().applied([items])
    assert items[0].is_applied is False
    assert World().applied([items]).sim.plain()["x"] == [1]


KEY = st.text("abcxyz_", min_size=1, max_size=3)
VALUES = st.recursive(
    st.integers() | st.booleans() | st.lists(st.integers(), max_size=2),
    lambda inner: st.dictionaries(KEY, inner, min_size=1, max_size=3),
    max_leaves=6,
)


def dotted(value, path=()):
    if isinstance(value, dict):
        return [line for key, inner in value.items() for line in dotted(inner, (*path, key))]
    return [(".".join(path), value)]


@given(st.dictionaries(KEY, VALUES, max_size=3), st.dictionaries(KEY, VALUES, max_size=3))
def test_dotted_and_nested_overrides_agree(sim, config):
    nested = {"sim": sim, "components": {"robot": {"top": {"lidar": config}}}}
    pairs = dotted(nested)
    by_set = [from_set(f"{path}={str(value).lower() if isinstance(value, bool) else value}") for path, value in pairs]
    expected = World().applied(nested).state()
    assert World().applied(dict(pairs)).state() == expected
    assert World().applied(by_set).state() == expected
    assert World().applied(overrides_from_dotlist(f"{p}={str(v).lower()}" for p, v in pairs)).state() == expected


@given(VALUES)
def test_the_origin_of_an_override_reaches_every_value(value):
    items = assignments([from_set("sim.x=1"), {"sim": {"y": value}}])
    assert {item.value.origin.source for item in items[1:]} <= {"overrides"}
    assert items[0].value.origin == Origin("--set sim.x=1")
    assert from_plain(value, Origin("x")).plain() == value
