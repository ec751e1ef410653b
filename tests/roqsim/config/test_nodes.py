from __future__ import annotations

import math
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import MAX_ALIAS_NODES, Node, Origin, from_plain, load_file, load_value, loads
from roqsim.errors import ConfigError

HERE = Origin("here")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
PLAIN = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def message(text):
    with pytest.raises(ConfigError) as caught:
        loads(text, "w.yaml")
    return str(caught.value)


@given(PLAIN)
def test_plain_data_survives_the_way_into_nodes_and_back(value):
    assert from_plain(value, HERE).plain() == value


@given(PLAIN)
def test_a_copy_shares_nothing_that_can_change(value):
    node = from_plain(value, HERE)
    copy = node.copy()
    pending = [copy]
    while pending:
        at = pending.pop()
        children = at.value.values() if at.is_mapping else at.value if at.is_sequence else []
        pending += children
        at.value = "changed"
    assert node.plain() == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1e-05", 1e-05),
        ("1E3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+3", 3),
        ("-0", 0),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("No", "No"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("2001-01-01", "2001-01-01"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("1e", "1e"),
        ("=", "="),
        ("true", True),
        ("False", False),
        ("tRUE", "tRUE"),
        ("", None),
        ("~", None),
        ("NULL", None),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("!!float 3", 3.0),
        ("!!int 3", 3),
    ],
)
def test_scalars_follow_the_yaml_1_2_core_schema(text, value):
    read = loads(f"key: {text}\n", "w.yaml").plain()["key"]
    assert read == value
    assert type(read) is type(value)


def test_nan_is_a_number():
    assert math.isnan(loads("key: .NaN", "w.yaml").plain()["key"])


@pytest.mark.parametrize("padding", ["", "# " + "x" * 3000 + "\n"], ids=["python parser", "native parser"])
def test_every_value_and_every_key_knows_its_line(padding):
    node = loads(padding + "sim:\n  timestep: 1e-3\n  list:\n  - a\n  - '1'\n", "w.yaml")
    first = padding.count("\n") + 1
    assert node.get("sim").key_origin == Origin("w.yaml", first)
    assert node.get("sim").get("timestep").origin == Origin("w.yaml", first + 1)
    assert [item.origin.line for item in node.get("sim").get("list").value] == [first + 3, first + 4]
    assert node.plain() == {"sim": {"timestep": 0.001, "list": ["a", "1"]}}


def test_a_duplicate_key_is_refused_with_both_lines():
    assert message("sim: {}\na: 1\nsim: {}\n") == (
        "w.yaml: expected every key once, got 'sim' again at w.yaml:3; the first one is at w.yaml:1; keep one of them"
    )


def test_all_mistakes_of_a_text_are_told_at_once():
    assert message("a: 1\na: 2\n1: x\nb: !thing 3\n").count("\n") == 2


def test_aliases_repeat_what_they_name():
    assert loads("a: &x {b: [1]}\nc: *x\n", "w.yaml").plain() == {"a": {"b": [1]}, "c": {"b": [1]}}


def test_merge_keys_add_what_a_mapping_does_not_have_itself():
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}\nd: {<<: *a}\n"
    assert loads(text, "w.yaml").plain()["c"] == {"x": 3, "y": 1, "z": 2}
    assert loads(text, "w.yaml").plain()["d"] == {"x": 1, "y": 1}


def test_a_quoted_merge_key_is_a_key():
    assert loads("'<<': 1", "w.yaml").plain() == {"<<": 1}


def test_a_merge_of_something_else_is_refused():
    assert message("a: {<<: 3}") == "w.yaml: expected a mapping or a list of mappings after '<<', got 3 at w.yaml:1"


def test_alias_expansion_is_bounded():
    nest = ["a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    nest += [f"b{i}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]" for i in range(9)]
    assert message("\n".join(nest)).startswith("w.yaml: expected aliases that add at most 10,000 nodes, got more")


def test_a_large_document_without_aliases_is_not_bounded():
    count = MAX_ALIAS_NODES + 1
    assert len(loads("\n".join(["- 1"] * count), "w.yaml").value) == count


def test_an_alias_to_what_contains_it_is_refused():
    assert message("&a [*a]").startswith("w.yaml: expected an alias to something else")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a:\n\t- b", 2, "indent with spaces, not tabs"),
        ("a: [1, 2", 1, "close the bracket"),
        ("a: b: c", 1, "put quotes around a text that contains ': '"),
        ("a: 1\n b: 2\n", 2, "indentation"),
        ("a: *x", 1, "define the anchor"),
        ("a: 'b\n", 2, "close the quote"),
        ("a: @b", 1, "put quotes around the text"),
        ("a: 1\n---\nb: 2", 2, "expected one YAML document, got a second one"),
        ("a: !!python/name:os.system x", 1, "remove the tag"),
        ("a: !!int 1.5", 1, "remove the tag"),
        ("1: x", 1, 'expected text as a key, got 1 at w.yaml:1; write "1" in quotes'),
        ("a: 1\ntrue: x", 2, 'write "true" in quotes'),
        ("~: x", 1, "expected text as a key, got nothing"),
        ("? [a]\n: x", 1, "expected text as a key, got a list or a mapping"),
        ("a: " + "9" * 5000, 1, "expected a number of fewer digits, got 5000 digits"),
    ],
)
def test_what_is_no_yaml_is_one_clear_error(text, line, part):
    told = message(text)
    assert told.startswith("w.yaml: expected ")
    assert f"at w.yaml:{line}" in told
    assert part in told
    assert "\n" not in told


def test_a_control_character_is_refused():
    assert "remove the control character" in message("a: \x07")


@pytest.mark.parametrize("count", [500, 5000, 100_000])
def test_nesting_too_deep_is_refused_and_crashes_nothing(count):
    assert message("a: " + "[" * count + "]" * count).startswith("w.yaml: expected less deeply nested YAML")


def test_a_byte_order_mark_is_no_part_of_the_text(write, tmp_path):
    pathlib.Path(write("w.yaml")).write_bytes(b"\xef\xbb\xbfa: 1")
    assert load_file("w.yaml").plain() == {"a": 1}


def test_a_file_that_is_not_utf_8_is_refused_with_the_line(write):
    pathlib.Path(write("w.yaml")).write_bytes(b"a: 1\nb: \xe9\n")
    with pytest.raises(ConfigError, match=r"w\.yaml: expected UTF-8 text, got the byte 0xe9 at w\.yaml:2; save"):
        load_file("w.yaml")


def test_a_directory_is_refused(write):
    write("folder/w.yaml")
    with pytest.raises(ConfigError, match="^folder: expected a file, got a directory; name the YAML file in it$"):
        load_file("folder")


def test_a_missing_file_is_refused_with_the_nearest_name(write):
    write("world.yaml")
    with pytest.raises(ConfigError, match="^wrld.yaml: expected a file, got no such file; did you mean 'world.yaml'"):
        load_file("wrld.yaml")


def test_a_file_without_permission_is_refused(monkeypatch, write):
    def deny(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pathlib.Path, "read_bytes", deny)
    with pytest.raises(ConfigError, match="^w.yaml: expected a readable file, got 'permission denied'$"):
        load_file(write("w.yaml"))


def test_an_empty_file_is_nothing(write):
    assert load_file(write("w.yaml", "# only a comment")).value is None


def test_a_path_may_hold_any_unicode(write):
    name = write("wört ✓/日本.yaml", "a: [")
    with pytest.raises(ConfigError, match="wört ✓/日本.yaml:1"):
        load_file(name)


def test_a_value_of_the_command_line_has_no_lines():
    node = load_value("{a: [1e-3]}", "--set x={a: [1e-3]}")
    assert str(node.get("a").value[0].origin) == "--set x={a: [1e-3]}"


def test_arrays_and_paths_are_plain_data():
    numpy = pytest.importorskip("numpy")
    value = {"a": numpy.arange(3), "b": numpy.float64(0.5), "c": pathlib.Path("x"), "d": numpy.bool_(True), "e": (1,)}
    node = from_plain(value, HERE)
    assert node.plain() == {"a": [0, 1, 2], "b": 0.5, "c": "x", "d": True, "e": [1]}
    assert type(node.get("b").value) is float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": {1: 2}}, "a: expected text as a key, got 1 at here; write '1'"),
        ({"a": [object]}, "a[0]: expected a number, a text, a list or a mapping, got <class 'object'> at here"),
        ({"a": b"x"}, "a: expected a number, a text, a list or a mapping, got b'x' at here"),
    ],
)
def test_other_data_is_refused_with_its_place(value, text):
    with pytest.raises(ConfigError) as caught:
        from_plain(value, HERE)
    assert str(caught.value) == text


def test_data_that_contains_itself_is_refused():
    value = {}
    value["a"] = [value]
    with pytest.raises(ConfigError, match=r"a\[0\]: expected data that does not contain itself"):
        from_plain(value, HERE)


def test_one_object_may_stand_in_two_places():
    part = [1]
    assert from_plain({"a": part, "b": part}, HERE).plain() == {"a": [1], "b": [1]}


def test_a_shown_value_is_short():
    assert len(Node("x" * 1000, HERE).shown()) < 100
    assert Node(10**5000, HERE).shown() == "a number of too many digits"
    assert Node({}, HERE).shown() == "an empty mapping"
    assert from_plain(list(range(9)), HERE).shown() == "a list of 9"
