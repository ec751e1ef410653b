"""A table of wrong worlds with the exact text that they are answered with: error texts are a product."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from roqsim.config.nodes import loads
from roqsim.config.overrides import from_file
from roqsim.config.world import instantiate_plugins, load_config, load_config_from_dict
from roqsim.errors import RoqsimError

WRONG = {
    "an unknown key at the top": (
        "simm: {}",
        "simm: expected a known key, got 'simm' at w.yaml:1; did you mean 'sim'?",
    ),
    "the other spelling of components": (
        "plugins: []",
        "plugins: expected a known key, got 'plugins' at w.yaml:1; write 'components:' instead",
    ),
    "a list instead of a document": (
        "- toy_plain",
        "w.yaml: expected a mapping with 'sim' and 'components', got ['toy_plain'] at w.yaml:1",
    ),
    "an empty file": (
        "# nothing",
        "w.yaml: expected a mapping with 'sim' and 'components', got an empty file at w.yaml:1",
    ),
    "a sim block that is a list": (
        "sim: [1]",
        "sim: expected a mapping, got [1] at w.yaml:1",
    ),
    "an unknown key in sim": (
        "sim:\n  timestp: 0.001",
        "sim.timestp: expected a known key, got 'timestp' at w.yaml:2; did you mean 'timestep'?",
    ),
    "a word as a number": (
        "sim: {timestep: fast}",
        "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 'fast' at w.yaml:1",
    ),
    "not a number": (
        "sim: {timestep: .nan}",
        "sim.timestep: expected float >= 1e-06 and <= 1 (s), got nan at w.yaml:1; write a finite number",
    ),
    "a step of ages": (
        "sim: {timestep: 1e300}",
        "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 1e+300 at w.yaml:1",
    ),
    "a step of nothing": (
        "sim: {timestep: 1e-300}",
        "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 1e-300 at w.yaml:1",
    ),
    "an empty name": (
        "components:\n- ground_truth_pose: {frame_id: ''}",
        "components.ground_truth_pose.frame_id: expected text that is not empty, got '' at w.yaml:2; "
        "write one, or leave an optional key out",
    ),
    "a negative count": (
        "sim: {iterations: -1}",
        "sim.iterations: expected int > 0 and <= 1000000, got -1 at w.yaml:1",
    ),
    "a duplicate key": (
        "sim: {}\ncomponents: []\nsim: {}",
        "w.yaml: expected every key once, got 'sim' again at w.yaml:3; the first one is at w.yaml:1; keep one of them",
    ),
    "a duplicate key deep inside": (
        "sim:\n  timestep: 1\n  seed: 1\n  timestep: 2",
        "w.yaml: expected every key once, got 'timestep' again at w.yaml:4; the first one is at "
        "w.yaml:2; keep one of them",
    ),
    "a tab": (
        "sim:\n\ttimestep: 1",
        "w.yaml: expected valid YAML, got \"found character '\\\\t' that cannot start any token\" at w.yaml:2; "
        "put quotes around the text; indent with spaces, not tabs",
    ),
    "an open bracket": (
        "sim: {timestep: 1\ncomponents: []",
        "w.yaml: expected valid YAML, got \"expected ',' or '}', but got ':'\" at w.yaml:2; close the bracket",
    ),
    "an unknown world": (
        "sim: {world: empty_rom}",
        "sim.world: expected a built-in world, an MJCF file or package:world, got 'empty_rom' at w.yaml:1; "
        "did you mean 'empty_room'?",
    ),
    "a scene that is missing": (
        "sim: {world: scene.xml}",
        "sim.world: expected a built-in world, an MJCF file or package:world, got 'scene.xml' at w.yaml:1; "
        "there is no file 'scene.xml'; check the path",
    ),
    "a world document as a scene": (
        "sim: {world: ./w.yaml}",
        "sim.world: expected a built-in world, an MJCF file or package:world, got './w.yaml' at w.yaml:1; "
        "a YAML world is inherited: write 'extends: ./w.yaml' at the top",
    ),
    "lockstep": (
        "sim: {sync: {enabled: true}}",
        "sim.sync.enabled: expected false, got True at w.yaml:1; lockstep is not available yet, remove it",
    ),
    "an unknown plugin": (
        "components:\n- toy_scaner: {}",
        "components.toy_scaner: expected an installed plugin, got 'toy_scaner' at w.yaml:2; "
        "no installed package has a plugin 'toy_scaner'; did you mean 'toy_scanner'?",
    ),
    "an unknown key of a plugin": (
        "components:\n- toy_scanner:\n    raes: 3",
        "components.toy_scanner.raes: expected a known key, got 'raes' at w.yaml:3; did you mean 'rays'?",
    ),
    "a wrong value of a nested component": (
        "components:\n- toy_plain:\n  name: robot\n  components:\n  - toy_scanner: {rays: 'abc'}",
        "components.robot.toy_scanner.rays: expected int > 0, got 'abc' at w.yaml:5",
    ),
    "an unknown model": (
        "components:\n- toy_spawn: {model: cartt}\n  name: robot",
        "components.robot.model: expected a model, got 'cartt' at w.yaml:2; "
        "no installed package has a model 'cartt'; did you mean 'cart'?",
    ),
    "a missing model": (
        "components:\n- toy_spawn: {}\n  name: robot",
        "components.robot.model: expected text, got nothing at w.yaml:2; add it",
    ),
    "a duplicate name": (
        "components:\n- toy_plain:\n  name: a\n- toy_scanner:\n  name: a",
        "components.a: expected a label that no sibling has, got 'a' at w.yaml:4; "
        "the first one is at w.yaml:2; give one of them another 'name:'",
    ),
    "the name at the wrong place": (
        "components:\n- toy_plain: {name: a}",
        "components.toy_plain.name: expected no reserved key in a configuration, got 'name' at w.yaml:2; "
        "write 'name:' beside 'toy_plain:', not inside it",
    ),
    "two providers of the world": (
        "components: [toy_ground, toy_floor]",
        "components.toy_floor: expected one component that provides the world, got 'toy_floor' at w.yaml:1; "
        "'toy_ground' at w.yaml:1 brings ground and light already; remove one",
    ),
    "a world that extends itself": (
        "extends: w.yaml",
        "extends: expected a world that does not extend itself, got 'w.yaml' at w.yaml:1; the "
        "chain is w.yaml -> w.yaml",
    ),
    "a parent that is missing": (
        "extends: v.yaml",
        "extends: expected a world, got 'v.yaml' at w.yaml:1; there is no file 'v.yaml'; did you mean 'w.yaml'?",
    ),
    "components that do not begin with a dash": (
        "components:\n  toy_plain: {}",
        "components: expected a list of components, got a mapping at w.yaml:2; begin each component with '- '",
    ),
    "an indentation that makes two refs": (
        "components:\n- toy_scanner:\n  rays: 3",
        "components[0]: expected exactly one plugin ref, got 'toy_scanner', 'rays' at w.yaml:3; "
        "indent the configuration under 'toy_scanner:', and begin another component with '- '",
    ),
    "several mistakes": (
        "sim: {timestep: 0, seed: x}\ncomponents:\n- toy_scanner: {rays: 0, mode: fst}\n- toy_plian",
        "sim.seed: expected int >= 0, got 'x' at w.yaml:1\n"
        "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 0 at w.yaml:1\n"
        "components.toy_scanner.mode: expected 'fast', 'fine', got 'fst' at w.yaml:3; did you mean 'fast'?\n"
        "components.toy_scanner.rays: expected int > 0, got 0 at w.yaml:3\n"
        "components.toy_plian: expected an installed plugin, got 'toy_plian' at w.yaml:4; "
        "no installed package has a plugin 'toy_plian'; did you mean 'toy_plain'?",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_world_is_answered_exactly(write, model, name):
    text, told = WRONG[name]
    model("cart")
    write("w.yaml", text)
    with pytest.raises(RoqsimError) as caught:
        instantiate_plugins(load_config("w.yaml"))
    assert str(caught.value) == told
    assert caught.value.exit_status == 2


WRONG_FILES = {
    "missing": (
        "ww.yaml",
        "there is no file 'ww.yaml'; did you mean 'w.yaml'?",
    ),
    "a directory": (
        "folder",
        "expected the file of a world, got the folder 'folder'; name the YAML file in it",
    ),
    "no UTF-8": (
        "latin.yaml",
        "latin.yaml: expected UTF-8 text, got the byte 0xe9 at latin.yaml:1; save the file as UTF-8",
    ),
    "binary": (
        "zero.yaml",
        "zero.yaml: expected valid YAML, got 'special characters are not allowed' at zero.yaml; "
        "remove the control character",
    ),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_file_that_cannot_be_a_world_is_answered_exactly(write, tmp_path, name):
    target, told = WRONG_FILES[name]
    write("w.yaml", "sim: {}")
    write("folder/x.yaml", "sim: {}")
    (tmp_path / "here/latin.yaml").write_bytes(b"sim: {name: caf\xe9}")
    (tmp_path / "here/zero.yaml").write_bytes(b"sim: \x00")
    with pytest.raises(RoqsimError) as caught:
        load_config(target)
    assert (str(caught.value), caught.value.exit_status) == (told, 2)


WRONG_OVERRIDES = {
    "components.robt.a=1": "components.robt.a: expected the address of a component, got 'robt' at {}; "
    "did you mean 'robot'?",
    "sim.timestp=1": "sim.timestp: expected a known key, got 'timestp' at {}; did you mean 'timestep'?",
    "sim.timestep=abc": "sim.timestep: expected float >= 1e-06 and <= 1 (s), got 'abc' at {}",
    "components.robot.toy_scanner.rays=0": "components.robot.toy_scanner.rays: expected int > 0, got 0 at {}",
    "components.toy_scanner.rays=3": "components.toy_scanner.rays: expected the address of a component, "
    "got 'toy_scanner' at {}; the world has 'toy_scanner' at 'robot.toy_scanner'",
    "components.robot.toy_scanner.raes=3": "components.robot.toy_scanner.raes: expected a component or key of "
    "components.robot.toy_scanner, got 'raes' at {}; did you mean 'rays'?",
    "timestep": "timestep: expected PATH=VALUE, got 'timestep' at {}; write for example sim.timestep=0.001",
}


@pytest.mark.parametrize("text", WRONG_OVERRIDES)
def test_a_wrong_override_is_answered_exactly(write, toybox, text):
    write("w.yaml", "components:\n- toy_plain:\n  name: robot\n  components: [toy_scanner]")
    with pytest.raises(RoqsimError) as caught:
        load_config("w.yaml", [text])
    assert (str(caught.value), caught.value.exit_status) == (WRONG_OVERRIDES[text].format(f"--set {text}"), 2)


def test_a_wrong_override_file_is_answered_with_its_line(write, toybox):
    write("w.yaml", "components: [toy_scanner]")
    write("o.yaml", "components:\n  toy_scanner:\n    rays: many\n")
    with pytest.raises(RoqsimError) as caught:
        load_config("w.yaml", [from_file("o.yaml")])
    assert str(caught.value) == "components.toy_scanner.rays: expected int > 0, got 'many' at --override o.yaml:3"


def test_a_plugin_file_with_a_syntax_error_is_answered_with_its_line(write):
    write("p.py", "class Foo(\n")
    write("w.yaml", "components:\n- './p.py:Foo': {}\n  name: foo\n")
    with pytest.raises(RoqsimError) as caught:
        instantiate_plugins(load_config("w.yaml"))
    assert str(caught.value).startswith(
        "components.foo: expected an installed plugin, got './p.py:Foo' at w.yaml:2; './p.py:Foo' (file.py:Class): "
    )
    assert "p.py:1" in str(caught.value)


WORDS = st.sampled_from(
    "sim components extends disable plugins name enabled present timestep world pacing contact_override solref view "
    "toy_plain toy_scanner toy_spawn toy_mount model cart w.yaml rays pose a.b {x} toybox:x ./x.py:Foo mode frame_id "
    "../ menagerie: ~/x \x00 topics".split()
    + [""]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.just(10**400) | WORDS
JUNK = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)
ENTRIES = st.lists(JUNK | st.dictionaries(WORDS, JUNK, min_size=1, max_size=3), max_size=3)
BLOCKS = {"sim": JUNK, "components": ENTRIES, "extends": JUNK, "disable": JUNK}
DOCUMENTS = JUNK | st.fixed_dictionaries({}, optional=BLOCKS)
OVERRIDES = st.none() | st.dictionaries(WORDS, JUNK, max_size=3) | st.fixed_dictionaries({}, optional=BLOCKS)
MANY = settings(suppress_health_check=list(HealthCheck), max_examples=200, deadline=None)


@pytest.fixture
def files(write, model):
    """A working directory and a package with what the documents may name."""
    write("w.yaml", "sim: {}\n")
    write("x.py", "from roqsim.plugin import Plugin\nclass Foo(Plugin): pass\n")
    model("cart", "components: [toy_scanner]")


@MANY
@given(DOCUMENTS, OVERRIDES)
def test_no_document_and_no_override_ends_in_anything_but_a_clear_error(files, document, overrides):
    try:
        instantiate_plugins(load_config_from_dict(document, overrides=overrides))
    except RoqsimError as error:
        assert str(error)
        assert error.exit_status == 2


@MANY
@given(st.text("ab: -\n\t{}[]&*<>|#'\"!~,?%@0.1\\", max_size=60))
def test_no_text_ends_in_anything_but_a_clear_error(text):
    try:
        loads(text, "w.yaml")
    except RoqsimError as error:
        assert str(error).startswith("w.yaml: expected ")
