from __future__ import annotations

import pytest
from roqsim.config.world import load_config
from roqsim.errors import ConfigError
from roqsim.manifest import manifest_frame_id, model_manifest


def told(overrides=None):
    with pytest.raises(ConfigError) as caught:
        load_config("w.yaml", overrides)
    return str(caught.value)


def components(cfg):
    return [(spec.address, spec.source) for spec in cfg.plugins]


def config(cfg, address):
    return next(spec for spec in cfg.plugins if spec.address == address).config.plain()


BASE = """
    license: Apache-2.0
    source: its data sheet
    components:
      - toy_plain: {wheel_radius: 0.033, wheels: {left: a, right: b}}
        name: drive
      - toy_mount: {model: eye}
        name: front
        components:
          - toy_scanner: {rays: 100}
      - toy_plain: {}
        name: bumper
"""

EYE = """
    frame_id: laser
    components:
      - toy_scanner: {rays: 7, max_range: 12, frame_id: "{frame_id}"}
      - toy_plain: {child: "{frame_id}_optical", parent: ["{parent_frame}"]}
        name: link
"""


@pytest.fixture
def robot(model, write):
    model("base", BASE)
    model("eye", EYE)
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  name: robot\n- toy_plain\n")


def test_a_model_brings_its_components_right_after_the_entry_that_spawns_it(robot):
    assert components(load_config("w.yaml")) == [
        ("robot", "document"),
        ("robot.drive", "manifest"),
        ("robot.front", "manifest"),
        ("robot.front.link", "manifest"),
        ("robot.front.toy_scanner", "manifest"),
        ("robot.bumper", "manifest"),
        ("toy_plain", "document"),
    ]


def test_the_nearer_manifest_wins_key_by_key(robot):
    scanner = config(load_config("w.yaml"), "robot.front.toy_scanner")
    assert scanner == {"rays": 100, "max_range": 12, "frame_id": "laser"}


def test_placeholders_of_a_device_are_filled(robot):
    assert config(load_config("w.yaml"), "robot.front.link") == {"child": "laser_optical", "parent": ["base_link"]}


@pytest.mark.parametrize(
    ("config", "parent"),
    [("", "world"), (", parent: mast", "mast"), (", parent: mast, parent_frame: mast_link", "mast_link")],
)
def test_the_frame_that_a_device_stands_in_is_its_parents(robot, write, config, parent):
    write("w.yaml", f"components:\n- toy_mount: {{model: eye{config}}}\n")
    assert config_of_link(load_config("w.yaml"))["parent"] == [parent]


def config_of_link(cfg):
    return config(cfg, "toy_mount.link")


def test_a_mount_may_name_its_own_frames(robot, write):
    write("w.yaml", "components:\n- toy_mount: {model: eye, frame_id: top, parent_frame: mast}\n")
    cfg = load_config("w.yaml")
    assert config(cfg, "toy_mount.link") == {"child": "top_optical", "parent": ["mast"]}
    assert config(cfg, "toy_mount.toy_scanner")["frame_id"] == "top"


def test_what_the_world_declares_stays_and_is_completed_not_deeply(robot, write):
    write(
        "w.yaml",
        """
        components:
          - toy_spawn: {model: base}
            name: robot
            components:
              - toy_plain: {wheels: {left: c}, test: [1]}
                name: drive
        """,
    )
    cfg = load_config("w.yaml")
    assert config(cfg, "robot.drive") == {"wheels": {"left": "c"}, "test": [1], "wheel_radius": 0.033}
    assert ("robot.drive", "document") in components(cfg)
    assert [spec.config.plain() for spec in cfg.declared] == [{"model": "base"}, {"wheels": {"left": "c"}, "test": [1]}]


def test_one_key_of_a_device_can_be_set_deep_inside(robot, write):
    write(
        "w.yaml",
        """
        components:
          - toy_spawn: {model: base}
            name: robot
            components:
              - toy_mount: {}
                name: front
                components:
                  - toy_scanner: {max_range: 5}
        """,
    )
    cfg = load_config("w.yaml")
    assert config(cfg, "robot.front") == {"model": "eye"}
    assert config(cfg, "robot.front.toy_scanner") == {"max_range": 5, "rays": 100, "frame_id": "laser"}
    order = [address for address, _ in components(cfg)]
    assert order == [
        "robot",
        "robot.drive",
        "robot.bumper",
        "robot.front",
        "robot.front.link",
        "robot.front.toy_scanner",
    ]


def test_another_plugin_under_the_same_label_takes_the_place_of_the_default(robot, write):
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  components:\n  - toy_scanner: {}\n    name: drive\n")
    cfg = load_config("w.yaml")
    assert config(cfg, "toy_spawn.drive") == {}
    assert next(spec for spec in cfg.plugins if spec.address == "toy_spawn.drive").ref == "toy_scanner"


def test_two_robots_bring_the_same_without_colliding(robot, write):
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  name: a\n- toy_spawn: {model: base}\n  name: b\n")
    cfg = load_config("w.yaml", ["components.a.drive.wheel_radius=1"])
    assert len(cfg.plugins) == 12
    assert [config(cfg, f"{name}.drive")["wheel_radius"] for name in "ab"] == [1, 0.033]


def test_a_spawn_may_refuse_what_its_model_brings(robot, write):
    write("w.yaml", "components:\n- toy_spawn: {model: base, default_plugins: false}\n")
    assert components(load_config("w.yaml")) == [("toy_spawn", "document")]


def test_a_model_without_a_manifest_brings_nothing(model, write):
    model("bare")
    write("w.yaml", "components:\n- toy_mount: {model: bare}\n")
    assert components(load_config("w.yaml")) == [("toy_mount", "document")]


def test_what_waits_for_an_owner_that_is_declared_later_follows_it(robot, model, write):
    model(
        "cart",
        "components:\n- toy_plain: {}\n  name: last\n- toy_mount: {}\n  name: late\n  components: [toy_scanner]\n",
    )
    write(
        "w.yaml",
        """
        components:
          - toy_spawn: {model: cart}
            name: cart
            components:
              - toy_plain: {}
                name: first
              - toy_mount: {model: eye}
                name: late
        """,
    )
    order = [address for address, _ in components(load_config("w.yaml"))]
    assert order == ["cart", "cart.last", "cart.first", "cart.late", "cart.late.link", "cart.late.toy_scanner"]


def test_an_override_reaches_what_only_a_manifest_brings(robot):
    cfg = load_config("w.yaml", ["components.robot.front.toy_scanner.rays=720", "components.robot.drive.wheels.left=z"])
    assert config(cfg, "robot.front.toy_scanner")["rays"] == 720
    assert config(cfg, "robot.drive")["wheels"] == {"left": "z", "right": "b"}


def test_an_override_of_the_model_decides_which_manifest_is_read(robot, model):
    model("other", "components: [toy_ground]")
    cfg = load_config("w.yaml", ["components.robot.model=other", "components.robot.toy_ground.level=1"])
    assert components(cfg) == [("robot", "document"), ("robot.toy_ground", "manifest"), ("toy_plain", "document")]
    assert config(cfg, "robot.toy_ground") == {"level": 1}


def test_an_override_cannot_change_the_model_of_what_a_manifest_mounted(robot):
    assert told(["components.robot.front.model=other"]) == (
        "components.robot.front.model: expected a key that its manifest does not depend on, got 'model' at "
        "--set components.robot.front.model=other; declare 'toy_mount: {model: …}' named 'front' "
        "in the world inside 'robot'"
    )


def test_other_keys_of_what_a_manifest_mounted_can_change(robot):
    assert config(load_config("w.yaml", ["components.robot.front.mass=3"]), "robot.front")["mass"] == 3


def test_what_a_manifest_brings_can_be_switched_off_with_all_that_belongs_to_it(robot):
    cfg = load_config("w.yaml", {"components": {"robot": {"front": {"enabled": False}}}})
    assert [address for address, _ in components(cfg)] == ["robot", "robot.drive", "robot.bumper", "toy_plain"]


def test_what_the_world_switches_off_is_not_brought_by_the_manifest(robot, write):
    entry = "  - toy_mount: {}\n    name: front\n    enabled: false\n"
    write("w.yaml", f"components:\n- toy_spawn: {{model: base}}\n  components:\n{entry}")
    assert [address for address, _ in components(load_config("w.yaml"))] == [
        "toy_spawn",
        "toy_spawn.drive",
        "toy_spawn.bumper",
    ]


def test_a_manifest_may_leave_something_switched_off_until_an_override_wants_it(model, write):
    model("base", "components:\n- toy_plain: {}\n  name: extra\n  enabled: false\n- toy_plain\n")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n")
    assert [address for address, _ in components(load_config("w.yaml"))] == ["toy_spawn", "toy_spawn.toy_plain"]
    cfg = load_config("w.yaml", ["components.toy_spawn.extra.enabled=true"])
    assert [address for address, _ in components(cfg)] == ["toy_spawn", "toy_spawn.extra", "toy_spawn.toy_plain"]
    assert cfg.plugins[1].plugin is not None


def test_a_disabled_entry_is_not_expanded(robot):
    assert components(load_config("w.yaml", ["components.robot.enabled=false"])) == [("toy_plain", "document")]


def test_relative_paths_of_a_manifest_start_from_its_folder(model, write):
    path = model("base", "components:\n- toy_scanner: {path: ./a.csv}\n- './p.py:Foo'\n")
    (path.parent / "p.py").write_text("from roqsim.plugin import Plugin\nclass Foo(Plugin): pass\n")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  components:\n  - toy_scanner: {rays: 1}\n")
    cfg = load_config("w.yaml")
    assert config(cfg, "toy_spawn.toy_scanner") == {"rays": 1, "path": str(path.parent / "a.csv")}
    assert cfg.plugins[1].base_dir == path.parent
    assert cfg.plugins[1].plugin.__name__ == "Foo"


def test_a_chain_of_models_that_comes_back_is_refused_naming_the_chain(model, write):
    path = model("egg", "components:\n- toy_spawn: {model: hen}\n  name: hen\n")
    model("hen", "components:\n- toy_spawn: {model: egg}\n  name: egg\n")
    write("w.yaml", "components:\n- toy_spawn: {model: egg}\n  name: first\n")
    text = told()
    assert text.startswith("components.first.hen.egg.model: expected a model that does not bring itself, got 'egg' at ")
    assert "hen.manifest.yaml:2; " in text
    assert f"first ({path}) -> first.hen (" in text
    assert text.endswith(f"-> first.hen.egg ({path})")
    assert "; the chain is first (" in text


def test_more_than_eight_expansions_inside_each_other_are_refused(model, write):
    for i in range(10):
        model(f"m{i}", f"components:\n- toy_spawn: {{model: m{i + 1}}}\n  name: n{i + 1}\n")
    model("m10")
    write("w.yaml", "components:\n- toy_spawn: {model: m0}\n  name: n0\n")
    assert "expected at most 8 expansions inside each other, got 9" in told()


def test_eight_expansions_inside_each_other_are_fine(model, write):
    for i in range(7):
        model(f"m{i}", f"components:\n- toy_spawn: {{model: m{i + 1}}}\n  name: n{i + 1}\n")
    model("m7")
    write("w.yaml", "components:\n- toy_spawn: {model: m0}\n  name: n0\n")
    assert len(load_config("w.yaml").plugins) == 8


def test_a_device_without_a_frame_is_refused(model, write):
    model("eye", "components: [toy_plain]")
    write("w.yaml", "components:\n- toy_mount: {model: eye}\n  name: top\n")
    text = told()
    assert text.startswith("components.top.frame_id: expected text, got nothing at w.yaml:2; ")
    assert text.endswith("eye.manifest.yaml names none; add 'frame_id: …' to this entry")


def test_two_mounts_of_one_carrier_with_one_frame_are_refused(robot, write):
    mounts = "  - toy_mount: {model: eye}\n    name: a\n  - toy_mount: {model: eye}\n    name: b\n"
    write("w.yaml", f"components:\n- toy_plain:\n  name: cart\n  components:\n{mounts}")
    assert told() == (
        "components.cart.b.frame_id: expected a frame that nothing else on 'cart' has, got 'laser' at w.yaml:7; "
        "cart.a at w.yaml:5 has it too; give one of them a 'frame_id' of its own"
    )


def test_a_mount_that_brings_nothing_still_has_a_frame_of_its_own(robot, write):
    mounts = (
        "  - toy_mount: {model: eye}\n    name: a\n  - toy_mount: {model: eye, default_plugins: false}\n    name: b\n"
    )
    write("w.yaml", f"components:\n- toy_plain:\n  name: cart\n  components:\n{mounts}")
    assert "expected a frame that nothing else on 'cart' has" in told()


def test_mounts_of_different_carriers_may_share_a_frame(robot, write):
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  name: a\n- toy_spawn: {model: base}\n  name: b\n")
    assert len(load_config("w.yaml").plugins) == 12


@pytest.mark.parametrize(
    ("spawn", "manifest", "name"),
    [
        ("toy_spawn", "components:\n- toy_plain: {a: ['{frame_id}']}\n", "frame_id"),
        ("toy_mount", "frame_id: x\ncomponents:\n- toy_plain: {a: ['{prefix}']}\n", "prefix"),
    ],
)
def test_another_placeholder_is_refused(model, write, spawn, manifest, name):
    model("thing", manifest)
    write("w.yaml", f"components:\n- {spawn}: {{model: thing}}\n  name: s\n")
    text = told()
    assert text.startswith(f"components.s.toy_plain.a[0]: expected no such placeholder, got '{{{name}}}' at ")
    assert text.endswith("the manifest of a mounted device may use {frame_id} and {parent_frame}")


def test_a_mistake_in_a_manifest_names_its_own_line(model, write):
    path = model("base", "license: 3\ncomponent: []\ncomponents:\n- toy_scanner: {rays: 0}\n")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n")
    manifest = path.with_name("base.manifest.yaml")
    assert told().splitlines() == [
        f"base.manifest.license: expected text, got 3 at {manifest}:1; put quotes around it",
        f"base.manifest.component: expected a known key, got 'component' at {manifest}:2; did you mean 'components'?",
    ]
    manifest.write_text("components:\n- toy_scanner: {rays: 0}\n- toy_plain: {name: x}\n")
    assert told().splitlines() == [
        f"components.toy_spawn.toy_plain.name: expected no reserved key in a configuration, got "
        f"'name' at {manifest}:3; "
        "write 'name:' beside 'toy_plain:', not inside it",
    ]
    manifest.write_text("components:\n- toy_scanner: {rays: 0}\n")
    assert told() == f"components.toy_spawn.toy_scanner.rays: expected int > 0, got 0 at {manifest}:2"


def test_a_model_that_is_not_found_is_told_at_its_line(model, write):
    model("base")
    write("w.yaml", "components:\n- toy_spawn: {model: bse}\n- toy_scanner: {rays: 0}\n")
    assert told().splitlines() == [
        "components.toy_spawn.model: expected a model, got 'bse' at w.yaml:2; "
        "no installed package has a model 'bse'; did you mean 'base'?",
        "components.toy_scanner.rays: expected int > 0, got 0 at w.yaml:3",
    ]


def test_a_models_manifest_is_found_by_reference(model):
    model("eye", "frame_id: laser")
    model("bare")
    assert manifest_frame_id("eye") == "laser"
    assert model_manifest("bare") is None


def test_mistakes_inside_an_entry_of_a_manifest_are_told_once_for_each_robot(model, write):
    model("base", "components:\n- toy_plain: {name: x}\n")
    write("w.yaml", "components:\n- toy_spawn: {model: base}\n  name: a\n- toy_spawn: {model: base}\n  name: b\n")
    assert [line.partition(":")[0] for line in told().splitlines()] == [
        "components.a.toy_plain.name",
        "components.b.toy_plain.name",
    ]
    assert len(told().splitlines()) == 2
