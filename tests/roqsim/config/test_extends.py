from __future__ import annotations

import pytest
from roqsim.config.nodes import Origin, from_plain
from roqsim.config.world import load_config
from roqsim.errors import ConfigError


def told(target="child.yaml", overrides=None):
    with pytest.raises(ConfigError) as caught:
        load_config(target, overrides)
    return str(caught.value)


def addresses(cfg):
    return [spec.address for spec in cfg.plugins]


PARENT = """
    sim: {timestep: 0.002, view: {distance: 3, azimuth: 90}}
    components:
      - toy_plain: {a: 1}
        name: box
        components: [toy_scanner]
      - toy_ground
"""


def test_a_child_adds_to_its_parent_and_its_sim_block_wins_key_by_key(write, toybox):
    write("parent.yaml", PARENT)
    write(
        "child.yaml",
        "extends: parent.yaml\nsim: {timestep: 1e-3, view: {azimuth: 0}}\ncomponents:\n- toy_plain: {}\n  name: ball\n",
    )
    cfg = load_config("child.yaml")
    assert addresses(cfg) == ["box", "box.toy_scanner", "toy_ground", "ball"]
    assert (cfg.sim.timestep, cfg.sim.view.distance, cfg.sim.view.azimuth) == (0.001, 3.0, 0.0)


def test_a_child_can_leave_out_what_it_inherits_with_all_that_belongs_to_it(write, toybox):
    write("parent.yaml", PARENT)
    write("child.yaml", "extends: parent.yaml\ndisable: [box]\ncomponents: [toy_plain]")
    assert addresses(load_config("child.yaml")) == ["toy_ground", "toy_plain"]


@pytest.mark.parametrize("selector", ["[toy_ground]", "toy_ground", "[box.toy_scanner, toy_ground]"])
def test_what_has_no_name_is_disabled_by_its_address(write, toybox, selector):
    write("parent.yaml", PARENT)
    write("child.yaml", f"extends: parent.yaml\ndisable: {selector}\n")
    assert "toy_ground" not in addresses(load_config("child.yaml"))


def test_a_disabled_component_can_be_declared_again(write, toybox):
    write("parent.yaml", PARENT)
    write("child.yaml", "extends: parent.yaml\ndisable: [box]\ncomponents:\n- toy_plain: {b: 2}\n  name: box\n")
    box = load_config("child.yaml").plugins[-1]
    assert (box.address, box.config.plain()) == ("box", {"b": 2})


def test_a_selector_that_matches_nothing_is_refused(write, toybox):
    write("parent.yaml", PARENT)
    write("child.yaml", "extends: parent.yaml\ndisable:\n  - bx\n  - 3\n")
    assert told().splitlines() == [
        "disable: expected the name of an inherited component, got 'bx' at child.yaml:3; did you mean 'box'?",
        "disable: expected the name of an inherited component, got 3 at child.yaml:4",
    ]


def test_disable_says_how_to_leave_out_what_a_model_brings(write, toybox):
    write("parent.yaml", "components:\n- toy_plain: {}\n  name: robot\n- toy_plain: {}\n  name: box\n")
    write("child.yaml", "extends: parent.yaml\ndisable: [robot.mount.lidar]\n")
    assert told() == (
        "disable: expected the name of an inherited component, got 'robot.mount.lidar' at child.yaml:2; what the model "
        "of 'robot' brings is left out by --set components.robot.mount.lidar.enabled=false"
    )


def test_disable_needs_a_parent(write, toybox):
    write("child.yaml", "disable: [box]")
    assert told() == (
        "disable: expected 'extends' beside it, got ['box'] at child.yaml:1; "
        "without a parent, delete the entry or write 'enabled: false' in it"
    )


def test_a_label_that_the_parent_has_is_refused_with_both_files(write, toybox):
    write("parent.yaml", PARENT)
    write("child.yaml", "extends: parent.yaml\ncomponents:\n- toy_plain: {}\n  name: box\n")
    assert told() == (
        "components.box: expected a label that no sibling has, got 'box' at child.yaml:3; "
        "the first one is at parent.yaml:3; give one of them another 'name:'"
    )


def test_a_grandparent_is_inherited_too(write, toybox):
    write("a/grand.yaml", "sim: {timestep: 0.5, seed: 1}\ncomponents: [toy_plain]")
    write("a/parent.yaml", "extends: grand.yaml\nsim: {timestep: 0.25}")
    write("child.yaml", "extends: a/parent.yaml\ncomponents: [toy_ground]")
    cfg = load_config("child.yaml")
    assert (cfg.sim.timestep, cfg.sim.seed, addresses(cfg)) == (0.25, 1, ["toy_plain", "toy_ground"])
    assert [path.name for path in cfg.files] == ["child.yaml", "parent.yaml", "grand.yaml"]


@pytest.mark.parametrize("ref", ["child.yaml", "./child.yaml", "sub/../child.yaml"])
def test_a_world_that_extends_itself_is_refused(write, ref):
    write("sub/x.yaml")
    write("child.yaml", f"sim: {{}}\nextends: {ref}\n")
    assert told() == (
        f"extends: expected a world that does not extend itself, got '{ref}' at child.yaml:2; "
        "the chain is child.yaml -> child.yaml"
    )


def test_a_longer_cycle_is_refused_naming_the_chain(write):
    write("child.yaml", "extends: a.yaml")
    write("a.yaml", "extends: b.yaml")
    write("b.yaml", "extends: a.yaml")
    assert told() == (
        "extends: expected a world that does not extend itself, got 'a.yaml' at b.yaml:1; "
        "the chain is child.yaml -> a.yaml -> b.yaml -> a.yaml"
    )


def test_a_child_world_keeps_its_parents_paths(write, tmp_path, toybox):
    write("a/scene.xml", "<mujoco/>")
    write("a/plugin.py", "from roqsim.plugin import Plugin\nclass Foo(Plugin): pass\n")
    write("a/parent.yaml", "sim: {world: scene.xml}\ncomponents:\n- './plugin.py:Foo': {}\n")
    write("child.yaml", "extends: a/parent.yaml\ncomponents:\n- toy_plain\n")
    cfg = load_config("child.yaml")
    assert cfg.sim.world == str(tmp_path / "here/a/scene.xml")
    assert cfg.world_file == tmp_path / "here/a/scene.xml"
    assert [spec.base_dir.name for spec in cfg.plugins] == ["a", "here"]
    assert cfg.plugins[0].plugin.__name__ == "Foo"
    assert cfg.base_dirs == {"./plugin.py:Foo": tmp_path / "here/a"}


def test_a_parent_of_a_package_stays_a_reference(write, toybox):
    depot = toybox / "worlds/depot"
    depot.mkdir()
    (depot / "depot.yaml").write_text("extends: ../base.yaml\nsim: {world: depot.xml}\n")
    (depot / "depot.xml").write_text("<mujoco/>")
    (toybox / "worlds/base.yaml").write_text("sim: {timestep: 0.5, world: base.xml}")
    write("child.yaml", "extends: toybox:depot\n")
    cfg = load_config("child.yaml")
    assert (cfg.sim.world, cfg.sim.timestep) == ("toybox:depot/depot.xml", 0.5)
    assert cfg.world_file == depot / "depot.xml"


def test_what_a_packaged_parent_inherits_by_path_is_a_reference_as_well(write, toybox):
    depot = toybox / "worlds/depot"
    depot.mkdir()
    (depot / "depot.yaml").write_text("extends: ../base.yaml\n")
    (toybox / "worlds/base.yaml").write_text("sim: {world: base.xml}")
    (toybox / "worlds/base.xml").write_text("<mujoco/>")
    write("child.yaml", "extends: toybox:depot\n")
    assert load_config("child.yaml").sim.world == "toybox:base.xml"


@pytest.mark.parametrize("world", ["empty_room", "toybox:base.xml"])
def test_a_name_and_a_reference_mean_the_same_everywhere(write, toybox, world):
    (toybox / "worlds/base.xml").write_text("<mujoco/>")
    write("a/parent.yaml", f"sim: {{world: '{world}'}}")
    write("child.yaml", "extends: a/parent.yaml")
    assert load_config("child.yaml").sim.world == world


@pytest.mark.parametrize(
    ("ref", "end"),
    [
        ("parnt.yaml", "there is no file 'parnt.yaml'; did you mean 'parent.yaml'?"),
        ("toybox:depo", "the package 'toybox' has no world 'depo'; did you mean 'depot'?"),
        ("toybx:depot", "no installed package 'toybx' brings worlds; did you mean 'toybox'?"),
        ("scene.xml", "expected a file that ends in .yaml or .yml, got 'scene.xml'"),
        (".", "expected the file of a world, got the folder '.'; name the YAML file in it"),
    ],
)
def test_a_parent_that_is_not_found_is_told_with_the_nearest(write, toybox, ref, end):
    (toybox / "worlds/depot.yaml").write_text("sim: {}")
    write("parent.yaml", "sim: {}")
    write("scene.xml", "<mujoco/>")
    write("child.yaml", f"extends: '{ref}'")
    assert told() == f"extends: expected a world, got '{ref}' at child.yaml:1; {end}"


def test_extends_is_a_text(write):
    write("child.yaml", "extends: [a, b]")
    assert told() == "extends: expected a path or package:world, got ['a', 'b'] at child.yaml:1"


def test_mistakes_of_parent_child_and_overrides_are_told_together_by_file_and_line(write, toybox):
    write("parent.yaml", "sim: {timestep: x}\ncomponents:\n- toy_scanner: {rays: 0}\nplugins: []\n")
    write(
        "child.yaml",
        "extends: parent.yaml\nsims: {}\ncomponents:\n- toy_plain: {name: x}\n- toy_scanner: {raes: 1}\n  name: s\n",
    )
    assert told(overrides=["components.s.max_range=-1", "components.zzz.a=1", "sim.seed=a"]).splitlines() == [
        "components.s.max_range: expected float > 0 (m), got -1 at --set components.s.max_range=-1",
        "components.zzz.a: expected the address of a component, got 'zzz' at --set components.zzz.a=1; "
        "the world has toy_scanner, toy_plain, s (toy_scanner)",
        "sim.seed: expected int >= 0, got 'a' at --set sim.seed=a",
        "sims: expected a known key, got 'sims' at child.yaml:2; did you mean 'sim'?",
        "components.toy_plain.name: expected no reserved key in a configuration, got 'name' at child.yaml:4; "
        "write 'name:' beside 'toy_plain:', not inside it",
        "components.s.raes: expected a known key, got 'raes' at child.yaml:5; did you mean 'rays'?",
        "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 'x' at parent.yaml:1",
        "components.toy_scanner.rays: expected int > 0, got 0 at parent.yaml:3",
        "plugins: expected a known key, got 'plugins' at parent.yaml:4; write 'components:' instead",
    ]


def test_a_parent_with_a_syntax_error_does_not_hide_the_childs_mistakes(write, toybox):
    write("parent.yaml", "sim: [")
    write("child.yaml", "extends: parent.yaml\nsim: {timestep: 0}\ndisable: [x]\n")
    told_lines = told().splitlines()
    assert told_lines[0] == "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 0 at child.yaml:2"
    assert told_lines[1].startswith("parent.yaml: expected valid YAML")
    assert len(told_lines) == 2


def test_two_documents_never_share_what_they_inherit(write, toybox):
    write("parent.yaml", PARENT)
    write("child.yaml", "extends: parent.yaml")
    changed = load_config("child.yaml", {"components": {"box": {"a": 2}}, "sim": {"view": {"distance": 9}}})
    again = load_config("child.yaml")
    assert changed.plugins[0].config.plain() == {"a": 2}
    assert (again.plugins[0].config.plain(), again.sim.view.distance) == ({"a": 1}, 3.0)
    assert from_plain(again.raw, Origin("x")).plain() == again.raw
