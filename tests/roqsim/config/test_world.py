from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from roqsim.config.overrides import from_file, from_set
from roqsim.config.world import apply_overrides, instantiate_plugins, load_config, load_config_from_dict
from roqsim.errors import ConfigError, NotFoundError, PluginError

CONFIG_DATA = (
    "import sys, roqsim.config.world, roqsim.config.overrides; print(sorted({'mujoco', 'numpy'} & set(sys.modules)))"
)


def told(target="w.yaml", overrides=None):
    with pytest.raises(ConfigError) as caught:
        load_config(target, overrides)
    return str(caught.value)


def outline(cfg):
    return [(s.address, s.ref, s.config.plain(), s.present, s.base_dir) for s in cfg.plugins]


def test_loading_a_world_needs_neither_mujoco_nor_numpy():
    ran = subprocess.run([sys.executable, "-c", CONFIG_DATA], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_flat_world_is_loaded(write, toybox):
    write("w.yaml", "sim: {timestep: 1e-3}\ncomponents:\n- toy_scanner: {rays: 3}\n  name: scan\n- toy_plain\n")
    cfg = load_config("w.yaml")
    assert cfg.sim.timestep == 0.001
    assert cfg.addresses == ["scan", "toy_plain"]
    assert (cfg.source, cfg.base_dir, cfg.files) == ("w.yaml", Path.cwd(), [Path.cwd() / "w.yaml"])
    assert cfg.raw == {
        "sim": {"timestep": 0.001},
        "components": [{"toy_scanner": {"rays": 3}, "name": "scan"}, {"toy_plain": {}}],
    }
    assert cfg.plugins[0].typed.rays == 3


@pytest.mark.parametrize("text", ["sim:\ncomponents:\n", "sim: {}\n", "components: []\n", "{}\n"])
def test_a_world_may_say_nothing(write, text):
    cfg = load_config(write("w.yaml", text))
    assert (cfg.plugins, cfg.sim.timestep) == ([], None)


def test_small_numbers_are_read_alike_from_file_command_line_override_file_and_record(write, toybox):
    write("w.yaml", "sim: {timestep: 1e-3}")
    write("o.yaml", "sim: {timestep: 1e-05}")
    assert load_config("w.yaml").sim.timestep == 1e-3
    assert load_config("w.yaml", [from_set("sim.timestep=1e-3")]).sim.timestep == 1e-3
    overridden = load_config("w.yaml", [from_file("o.yaml")])
    assert overridden.sim.timestep == 1e-05
    assert load_config_from_dict(overridden.raw).sim.timestep == 1e-05
    write("again.yaml", json.dumps(overridden.raw))
    assert load_config("again.yaml").sim.timestep == 1e-05


def test_a_disabled_entry_goes_with_all_that_belongs_to_it(write, toybox):
    write(
        "w.yaml",
        """
        components:
          - toy_plain:
            name: a
            enabled: false
            components: [not_even_a_plugin]
          - toy_plain:
            name: b
        """,
    )
    cfg = load_config("w.yaml")
    assert cfg.addresses == [spec.address for spec in cfg.declared] == ["b"]
    assert cfg.unresolved == []
    assert load_config("w.yaml", ["components.a.enabled=true"]).unresolved[0].ref == "not_even_a_plugin"


def test_a_plugin_that_is_not_found_is_kept_until_the_world_is_built(write, toybox):
    write("w.yaml", "components:\n- toy_scaner: {rays: 3}\n  components: [toy_plain]\n- a.b:C\n- toy_broken\n")
    cfg = load_config("w.yaml")
    assert cfg.addresses == ["toy_scaner", "toy_scaner.toy_plain", "a.b:C", "toy_broken"]
    assert [(each.address, each.ref) for each in cfg.unresolved] == [
        ("toy_scaner", "toy_scaner"),
        ("a.b:C", "a.b:C"),
        ("toy_broken", "toy_broken"),
    ]
    with pytest.raises(ConfigError) as caught:
        instantiate_plugins(cfg)
    first, second, third = str(caught.value).splitlines()
    assert first == (
        "components.toy_scaner: expected an installed plugin, got 'toy_scaner' at w.yaml:2; "
        "no installed package has a plugin 'toy_scaner'; did you mean 'toy_scanner'?"
    )
    assert second.startswith(
        "components.a.b:C: expected an installed plugin, got 'a.b:C' at w.yaml:4; 'a.b:C' (module:Class)"
    )
    assert "No module named 'a_module_that_is_missing'" in third


def test_a_plugin_that_is_not_found_is_told_beside_other_mistakes(write, toybox):
    write("w.yaml", "components:\n- toy_scaner\n- toy_scanner: {rays: 0}\n")
    assert [line.partition(":")[0] for line in told().splitlines()] == [
        "components.toy_scaner",
        "components.toy_scanner.rays",
    ]


def test_present_is_for_what_is_an_entity(write, toybox, model):
    model("bare")
    write("w.yaml", "components:\n- toy_spawn: {model: bare}\n  present: false\n- toy_scanner:\n  present: false\n")
    assert told() == (
        "components.toy_scanner.present: expected a component that is an entity, got present: false at w.yaml:5; "
        "leave it out, or use 'enabled'"
    )


def test_present_can_be_overridden(write, toybox, model):
    model("bare")
    write("w.yaml", "components:\n- toy_spawn: {model: bare}\n  present: false\n")
    assert load_config("w.yaml").plugins[0].present is False
    assert load_config("w.yaml", ["components.toy_spawn.present=true"]).plugins[0].present is True


def test_a_present_that_an_override_says_is_told_with_the_override(write, toybox):
    write("w.yaml", "components: [toy_scanner]")
    with pytest.raises(ConfigError, match=r"got present: false at --set components\.toy_scanner\.present=false; "):
        load_config("w.yaml", "components.toy_scanner.present=false")


def test_a_mapping_is_no_path(write):
    with pytest.raises(TypeError, match="use load_config_from_dict"):
        load_config({"sim": {}})
    with pytest.raises(TypeError, match="^load_config: expected a path or package:world, got None$"):
        load_config(None)


@pytest.mark.parametrize("ref", ["toy_scanner", "toy_plain"])
def test_a_switch_inside_a_configuration_is_refused_with_its_right_place(write, toybox, ref):
    write("w.yaml", f"components:\n- {ref}: {{enabled: false}}\n")
    assert told() == (
        f"components.{ref}.enabled: expected no reserved key in a configuration, got 'enabled' at w.yaml:2; "
        f"write 'enabled:' beside '{ref}:', not inside it"
    )


def test_a_switch_that_is_a_field_of_the_plugin_is_a_key(write, toybox):
    write("w.yaml", "components:\n- toy_switch: {enabled: false}\n")
    cfg = load_config("w.yaml")
    assert (cfg.plugins[0].enabled, cfg.plugins[0].typed.enabled) == (True, False)


def test_two_providers_of_the_world_are_refused(write, toybox):
    write("w.yaml", "components:\n- toy_ground\n- toy_floor\n")
    assert told() == (
        "components.toy_floor: expected one component that provides the world, got 'toy_floor' at w.yaml:3; "
        "'toy_ground' at w.yaml:2 brings ground and light already; remove one"
    )
    assert load_config("w.yaml", ["components.toy_ground.enabled=false"]).addresses == ["toy_floor"]


def test_a_world_is_loaded_by_reference(write, toybox):
    (toybox / "worlds/yard.yaml").write_text("sim: {world: yard.xml}\n")
    (toybox / "worlds/yard.xml").write_text("<mujoco/>")
    cfg = load_config("toybox:yard")
    assert (cfg.source, cfg.base_dir, cfg.sim.world) == ("toybox:yard", toybox / "worlds", "yard.xml")
    assert cfg.world_file == toybox / "worlds/yard.xml"


def test_an_mjcf_file_is_a_world(write):
    write("scene.xml", "<mujoco/>")
    cfg = load_config("scene.xml", ["sim.timestep=0.1"])
    assert (cfg.world_file, cfg.sim.timestep, cfg.plugins) == (Path.cwd() / "scene.xml", 0.1, [])


def test_a_path_object_is_a_target(write):
    write("w.yaml", "sim: {seed: 3}")
    assert load_config(Path("w.yaml")).sim.seed == 3


@pytest.mark.parametrize(
    ("target", "end"),
    [
        ("wrld.yaml", "there is no file 'wrld.yaml'; did you mean 'world.yaml'?"),
        ("folder", "expected the file of a world, got the folder 'folder'; name the YAML file in it"),
        ("yard", "there is no file 'yard'; did you mean 'toybox:yard'?"),
        ("toybox:yrd", "the package 'toybox' has no world 'yrd'; did you mean 'yard'?"),
        ("notes.txt", "expected a file that ends in .yaml or .yml or .xml or .mjcf, got 'notes.txt'"),
    ],
)
def test_a_target_that_is_no_world_is_told_with_the_nearest(write, toybox, target, end):
    write("world.yaml", "sim: {}")
    write("folder/w.yaml", "sim: {}")
    write("notes.txt", "")
    (toybox / "worlds/yard.yaml").write_text("sim: {}")
    with pytest.raises(NotFoundError) as caught:
        load_config(target)
    assert str(caught.value) == end


def test_plugins_are_made_in_build_order_and_know_their_place(write, toybox, model):
    model("base", "components: [toy_scanner]")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  name: robot\n  present: false\n- toy_plain: {a: [1]}\n")
    robot, scanner, plain = instantiate_plugins(load_config("w.yaml"))
    assert (robot.address, robot.present, robot.config.model) == ("robot", False, "base")
    assert (scanner.address, scanner.owner, scanner.base_dir.name) == ("robot.toy_scanner", "robot", "base")
    assert (plain.name, plain.config) == ("toy_plain", {"a": [1]})


def test_what_untyped_plugins_find_wrong_is_told_together(write, toybox):
    write("w.yaml", "components:\n- toy_plain: {bad_a: 1, bad_b: 2}\n- toy_plain: {bad_c: 1}\n  name: other\n")
    with pytest.raises(ConfigError) as caught:
        instantiate_plugins(load_config("w.yaml"))
    assert str(caught.value).splitlines() == [
        "components.toy_plain: 'bad_a' is nothing that I know at w.yaml:2",
        "components.toy_plain: 'bad_b' is nothing that I know at w.yaml:2",
        "components.other: 'bad_c' is nothing that I know at w.yaml:3",
    ]


def test_a_plugin_that_cannot_be_made_is_named(write, toybox):
    write("w.yaml", "components:\n- toy_clumsy:\n  name: x\n")
    made = r"'toy_clumsy' could not be made: RuntimeError: two left hands at \S+toys\.py:\d+"
    with pytest.raises(PluginError, match=rf"^components\.x: {made}; its entry is at w\.yaml:2$"):
        instantiate_plugins(load_config("w.yaml"))


def test_a_plugin_that_fails_to_expand_is_named(write, toybox):
    write("w.yaml", "components:\n- toy_thrower:\n  name: x\n")
    failed = r"expand of 'toy_thrower' failed: KeyError: 'nowhere' at \S+toys\.py:\d+$"
    with pytest.raises(PluginError, match=rf"^components\.x: {failed}") as caught:
        load_config("w.yaml")
    assert (caught.value.address, caught.value.hook) == ("x", "expand")


def test_overrides_can_be_added_to_a_loaded_world(write, toybox, model):
    model("base", "components: [toy_scanner]")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n")
    first = load_config("w.yaml", ["sim.seed=1", "components.toy_spawn.toy_scanner.rays=3"])
    second = apply_overrides(first, {"sim": {"seed": 2}})
    assert (first.sim.seed, second.sim.seed) == (1, 2)
    assert second.plugins[1].typed.rays == 3


def test_overrides_can_be_applied_to_plain_data(toybox):
    document = {"sim": {"seed": 1}, "components": [{"toy_scanner": {"rays": 1}, "name": "a"}]}
    before = copy.deepcopy(document)
    changed = apply_overrides(document, ["components.a.rays=2", "sim.timestep=0.5"])
    assert changed == {"sim": {"seed": 1, "timestep": 0.5}, "components": [{"toy_scanner": {"rays": 2}, "name": "a"}]}
    assert document == before
    with pytest.raises(ConfigError, match="did you mean 'a'|the world has a"):
        apply_overrides(document, ["components.b.rays=2"])


def test_overrides_of_plain_data_need_a_document_without_a_parent():
    with pytest.raises(ConfigError, match="^extends: expected a document without a parent at document; load it first$"):
        apply_overrides({"extends": "x.yaml"}, ["sim.seed=1"])


def test_a_resolved_document_loads_to_an_equal_world(write, toybox, model):
    model("base", "components:\n- toy_mount: {model: eye}\n  name: top\n- toy_plain: {a: 1}\n- toy_scanner\n")
    model("eye", "frame_id: laser\ncomponents:\n- toy_scanner: {frame_id: '{frame_id}'}\n")
    write("a/parent.yaml", "sim: {seed: 1}\ncomponents:\n- toy_plain: {file: ./x}\n  name: p\n")
    write(
        "w.yaml",
        """
        extends: a/parent.yaml
        components:
          - toy_spawn: {model: base}
            name: robot
            present: false
            components:
              - toy_scanner: {rays: 3}
        """,
    )
    cfg = load_config("w.yaml", ["components.robot.toy_plain.enabled=false", "components.robot.mass=3"])
    for is_complete in (False, True):
        raw = json.loads(json.dumps(cfg.raw))
        again = load_config_from_dict(raw, cfg.base_dir, base_dirs=cfg.base_dirs, is_complete=is_complete)
        assert outline(again) == outline(cfg)
        assert (again.sim, again.raw) == (cfg.sim, cfg.raw)


def test_a_complete_document_does_not_read_manifests_again(write, toybox, model):
    path = model("base", "components: [toy_scanner]")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n")
    cfg = load_config("w.yaml")
    path.with_name("base.manifest.yaml").write_text("components: [toy_plain, toy_ground]")
    assert load_config_from_dict(cfg.raw, is_complete=True).addresses == cfg.addresses
    assert load_config_from_dict(cfg.raw).addresses != cfg.addresses


@pytest.mark.parametrize("raw", [[], 3, "x"])
def test_plain_data_that_is_no_mapping_is_refused(raw):
    with pytest.raises(ConfigError, match="^document: expected a mapping with 'sim' and 'components'"):
        load_config_from_dict(raw)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "timestep": st.floats(1e-6, 1),
            "seed": st.integers(0, 2**63),
            "pacing": st.sampled_from(["realtime", "asap", {"factor": 2}]),
            "gravity": st.lists(st.floats(-20, 20), min_size=3, max_size=3),
            "name": st.text(min_size=1),
        },
    ),
    st.lists(st.dictionaries(st.sampled_from(["a", "b"]), st.floats(allow_nan=False) | st.text()), max_size=3),
)
def test_any_world_survives_being_dumped_and_loaded(toybox, sim, configs):
    raw = {"sim": sim, "components": [{"toy_plain": config, "name": f"c{i}"} for i, config in enumerate(configs)]}
    cfg = load_config_from_dict(raw)
    again = load_config_from_dict(json.loads(json.dumps(cfg.raw)))
    assert cfg.raw == again.raw == raw
    assert (cfg.sim, outline(cfg)) == (again.sim, outline(again))


CARELESS = """
from dataclasses import dataclass
from roqsim.config.schema import opt
from roqsim.plugin import Plugin

@dataclass(frozen=True, kw_only=True)
class AskingConfig:
    speed: float = opt(1.0)

    def __post_init__(self):
        {}["speed"]

class Asking(Plugin):
    Config = AskingConfig

class Terse(Plugin):
    @classmethod
    def validate_config(cls, config):
        return "one text instead of a list"

class Falling(Plugin):
    @classmethod
    def validate_config(cls, config):
        raise KeyError("speed")
"""


def test_a_plugin_whose_checks_fail_is_named_with_its_line_beside_other_mistakes(write):
    write("careless.py", CARELESS)
    write("w.yaml", "sim: {timestp: 1}\ncomponents:\n- './careless.py:Asking':\n  name: asking\n")
    with pytest.raises(ConfigError) as caught:
        load_config("w.yaml")
    first, second = str(caught.value).splitlines()
    assert first.startswith("sim.timestp: expected a known key")
    assert second.startswith("components.asking: the Config of './careless.py:Asking' failed: KeyError: 'speed' at ")
    assert second.endswith("careless.py:10 at w.yaml:3")


def test_what_validate_config_says_in_whatever_form_is_told(write):
    write("careless.py", CARELESS)
    entries = [f"- './careless.py:{name}':\n  name: {name}\n" for name in ("Terse", "Falling")]
    write("w.yaml", "components:\n" + "".join(entries))
    with pytest.raises(ConfigError) as caught:
        instantiate_plugins(load_config("w.yaml"))
    first, second = str(caught.value).splitlines()
    assert first == "components.Terse: one text instead of a list at w.yaml:2"
    assert second.startswith("components.Falling: validate_config of './careless.py:Falling' failed: KeyError: 'speed'")
