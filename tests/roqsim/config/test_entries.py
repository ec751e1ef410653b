from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.entries import as_document, find_duplicates, parse_entries, without
from roqsim.config.nodes import Origin, from_plain, loads

HERE = Path("/here")


def parse(text):
    problems = []
    specs = find_duplicates(parse_entries(loads(text, "w.yaml"), base_dir=HERE, problems=problems), problems)
    return specs, [str(problem) for problem in problems]


def test_the_key_that_is_not_reserved_is_the_plugin_and_its_value_the_configuration():
    (spec,), problems = parse("- lidar: {rays: 3}\n  name: front\n  present: false\n  enabled: true")
    assert problems == []
    assert (spec.ref, spec.name, spec.label, spec.address) == ("lidar", "front", "front", "front")
    assert (spec.config.plain(), spec.enabled, spec.present) == ({"rays": 3}, True, False)
    assert (str(spec.origin), spec.base_dir, spec.owner) == ("w.yaml:1", HERE, None)


@pytest.mark.parametrize("text", ["- lidar: {}", "- lidar:", "- lidar"])
def test_an_entry_without_configuration_has_three_spellings(text):
    (spec,), problems = parse(text)
    assert (spec.ref, spec.config.plain(), problems) == ("lidar", {}, [])


def test_what_is_nested_belongs_to_the_entry_and_follows_it():
    text = """
    - base: {}
      name: robot
      components:
        - mount:
          name: top
          components: [lidar]
        - imu
    - clock
    """
    specs, problems = parse(text)
    assert problems == []
    assert [(spec.address, spec.owner) for spec in specs] == [
        ("robot", None),
        ("robot.top", "robot"),
        ("robot.top.lidar", "robot.top"),
        ("robot.imu", "robot"),
        ("clock", None),
    ]


def test_a_ref_with_dots_is_one_label():
    (spec,), _ = parse("- './plugins/x.py:Foo': {a: 1}")
    assert spec.label == spec.address == "./plugins/x.py:Foo"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "lidar: {}",
            "components: expected a list of components, got a mapping at w.yaml:1; begin each component with '- '",
        ),
        (
            "- 3",
            "components[0]: expected an entry with one plugin ref, got 3 at w.yaml:1; write '- plugin: {key: value}'",
        ),
        (
            "- ",
            "components[0]: expected an entry with one plugin ref, got nothing at w.yaml:1; write '- "
            "plugin: {key: value}'",
        ),
        (
            "- [a]",
            "components[0]: expected an entry with one plugin ref, got ['a'] at w.yaml:1; write '- "
            "plugin: {key: value}'",
        ),
        (
            "- name: x",
            "components[0]: expected an entry with one plugin ref, got a mapping at w.yaml:1; add '<plugin>: {…}'",
        ),
        (
            "- '': x",
            "components[0]: expected an entry with one plugin ref, got a mapping at w.yaml:1; add '<plugin>: {…}'",
        ),
        (
            "- lidar:\n  rays: 3",
            "components[0]: expected exactly one plugin ref, got 'lidar', 'rays' at w.yaml:2; "
            "indent the configuration under 'lidar:', and begin another component with '- '",
        ),
        (
            "- lidar: {}\n  nmae: x",
            "components[0]: expected exactly one plugin ref, got 'lidar', 'nmae' at w.yaml:2; "
            "did you mean 'name' instead of 'nmae'?",
        ),
        ("- lidar: 3", "components.lidar: expected a mapping, got 3 at w.yaml:1; write 'lidar: {key: value}'"),
        (
            "- lidar: {name: x}",
            "components.lidar.name: expected no reserved key in a configuration, got 'name' at "
            "w.yaml:1; "
            "write 'name:' beside 'lidar:', not inside it",
        ),
        (
            "- lidar:\n    components: []",
            "components.lidar.components: expected no reserved key in a configuration, "
            "got 'components' at w.yaml:2; write 'components:' beside 'lidar:', not inside it",
        ),
        ("- lidar:\n  name: 3", "components[0].name: expected text, got 3 at w.yaml:2; put quotes around it"),
        ("- lidar:\n  name: ''", "components[0].name: expected text, got '' at w.yaml:2"),
        (
            "- lidar:\n  name: a.b",
            "components[0].name: expected a name without dots, which part the labels of an address, "
            "got 'a.b' at w.yaml:2; write 'a_b'",
        ),
        ("- lidar:\n  enabled: no", "components.lidar.enabled: expected true or false, got 'no' at w.yaml:2"),
        ("- lidar:\n  present: 1", "components.lidar.present: expected true or false, got 1 at w.yaml:2"),
        (
            "- lidar:\n- lidar:",
            "components.lidar: expected a label that no sibling has, got 'lidar' at w.yaml:2; "
            "the first one is at w.yaml:1; give one of them another 'name:'",
        ),
        (
            "- a:\n  components:\n  - b:\n  - c:\n    name: b",
            "components.a.b: expected a label that no sibling has, "
            "got 'b' at w.yaml:4; the first one is at w.yaml:3; give one of them another 'name:'",
        ),
        (
            "- a:\n  components: {b: {}}",
            "components.a: expected a list of components, got a mapping at w.yaml:2; begin each component with '- '",
        ),
    ],
)
def test_a_wrong_entry_is_told_exactly(text, told):
    assert parse(text)[1] == [told]


def test_a_repeated_entry_is_told_once_not_once_for_each_of_its_parts():
    entry = "- robot:\n  components: [lidar, imu]\n"
    specs, problems = parse(entry + entry + "- clock")
    assert len(problems) == 1
    assert [spec.address for spec in specs] == ["robot", "robot.lidar", "robot.imu", "clock"]


def test_siblings_of_different_owners_may_share_a_label():
    specs, problems = parse("- a:\n  components: [lidar]\n- b:\n  components: [lidar]")
    assert problems == []
    assert [spec.address for spec in specs] == ["a", "a.lidar", "b", "b.lidar"]


def test_a_wrong_entry_does_not_hide_the_next_one():
    assert len(parse("- 3\n- lidar: 4\n- imu: {name: x}")[1]) == 3


def test_reading_twice_tells_the_same():
    node = loads("- lidar: {name: x}", "w.yaml")
    first, second = [], []
    parse_entries(node, base_dir=HERE, problems=first)
    parse_entries(node, base_dir=HERE, problems=second)
    assert first == second != []


def test_what_goes_takes_along_what_belongs_to_it():
    specs, _ = parse("- a:\n  components:\n  - b:\n    components: [c]\n- ab")
    assert [spec.address for spec in without(specs, {"a"})] == ["ab"]
    assert [spec.address for spec in without(specs, {"a.b"})] == ["a", "ab"]


LABELS = st.text("abcxyz_", min_size=1, max_size=4)
CONFIGS = st.dictionaries(st.sampled_from(["p", "q", "r"]), st.integers() | st.text() | st.lists(st.integers()))


def entries(children):
    return st.lists(
        st.tuples(LABELS, CONFIGS, st.none() | st.booleans(), st.booleans(), children),
        max_size=3,
        unique_by=lambda e: e[0],
    )


TREES = st.recursive(st.just([]), entries, max_leaves=8)


def document(tree):
    made = []
    for label, config, present, enabled, children in tree:
        entry = {"plugin": config, "name": label}
        entry |= {} if present is None else {"present": present}
        entry |= {} if enabled else {"enabled": False}
        entry |= {"components": document(children)} if children else {}
        made.append(entry)
    return made


@given(TREES)
def test_a_tree_survives_the_way_into_components_and_back(tree):
    written, problems = document(tree), []
    specs = parse_entries(from_plain(written, Origin("w")), base_dir=HERE, problems=problems)
    assert problems == []
    assert as_document(specs) == written
