from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import Origin, from_plain, loads
from roqsim.config.pose import Pose
from roqsim.config.schema import fields_of, json_schema, need, opt, read, read_value
from roqsim.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Depth:
    metres: float = opt(1.0, gt=0, unit="m")
    """Depth below
    the surface."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A configuration with one field of every kind."""

    frame_id: str = need()
    """Frame of the data."""
    rays: int = opt(360, gt=0, le=1000)
    """Number of rays."""
    rate: float = opt(10.0, ge=0, unit="Hz")
    """Rate."""
    limit: float = opt(float("inf"), finite=False)
    """May be infinite."""
    is_on: bool = opt(False)
    """Switch."""
    mode: Literal["fast", "fine"] = opt("fast")
    """Mode."""
    shape: str = opt("box", choices=("box", "ball"))
    """Shape."""
    point: tuple[float, float, float] = opt((0.0, 0.0, 0.0))
    """A point."""
    weights: tuple[float, ...] = opt((), ge=0, length=(0, 3))
    """Weights."""
    grid: tuple[tuple[int, int], ...] = opt(())
    """Pairs."""
    depth: Depth = opt(Depth())
    """Nested."""
    bottom: Depth | None = opt(None)
    """Nested or nothing."""
    gain: float | Literal["auto"] = opt("auto", gt=0)
    """Number or word."""
    names: str | tuple[str, ...] = opt(())
    """One or several."""
    topics: dict[str, str] = opt(factory=dict)
    """Topics."""
    extra: Any = opt(None)
    """Anything."""
    pose: Pose = opt(Pose())
    """Pose."""
    scope: str = opt("everywhere", empty=True)
    """A text that may be empty."""
    plain: int = 3
    cache: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.rays == 7:
            raise ValueError("rays: expected an even number, got 7; add one")
        if self.depth.metres == 7:
            raise ValueError("depth.metres: expected less than the tank, got 7")
        if self.rate == 7:
            raise ValueError("a rate of 7 is unlucky")


def problems(text, cls=Probe):
    with pytest.raises(ConfigError) as caught:
        read(cls, loads(text, "w.yaml"), "probe")
    return str(caught.value).splitlines()


def problem(text):
    (told,) = problems(f"frame_id: a\n{text}")
    return told


def test_defaults_stand_where_a_document_says_nothing():
    config = read(Probe, loads("frame_id: a", "w.yaml"), "probe")
    assert config == Probe(frame_id="a")


def test_every_kind_of_field_is_read():
    text = """
    frame_id: a
    rays: 8
    rate: 2
    limit: .inf
    is_on: true
    mode: fine
    shape: ball
    point: [1, 2, 3.5]
    weights: [1, 2]
    grid: [[1, 2], [3, 4]]
    depth: {metres: 2}
    bottom: {metres: 3}
    gain: 4
    names: [a, b]
    topics: {scan: /scan}
    extra: {x: [1]}
    pose: {position: [1, 2, 3]}
    scope: ''
    plain: 4
    """
    assert read(Probe, loads(text, "w.yaml"), "probe") == Probe(
        frame_id="a",
        rays=8,
        rate=2.0,
        limit=float("inf"),
        is_on=True,
        mode="fine",
        shape="ball",
        point=(1.0, 2.0, 3.5),
        weights=(1.0, 2.0),
        grid=((1, 2), (3, 4)),
        depth=Depth(metres=2.0),
        bottom=Depth(metres=3.0),
        gain=4.0,
        names=("a", "b"),
        topics={"scan": "/scan"},
        extra={"x": [1]},
        pose=Pose(position=(1.0, 2.0, 3.0)),
        scope="",
        plain=4,
    )


def test_a_float_is_a_float_even_if_it_is_written_as_an_int():
    assert type(read(Probe, loads("{frame_id: a, rate: 3}", "w.yaml"), "probe").rate) is float


def test_nothing_and_an_empty_mapping_read_the_same():
    assert read(Depth, None, "d") == read(Depth, loads("", "w.yaml"), "d") == Depth()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rays: 'abc'", "probe.rays: expected int > 0 and <= 1000, got 'abc' at w.yaml:2"),
        ("rays: 0", "probe.rays: expected int > 0 and <= 1000, got 0 at w.yaml:2"),
        ("rays: 1001", "probe.rays: expected int > 0 and <= 1000, got 1001 at w.yaml:2"),
        ("rays: 8.0", "probe.rays: expected int > 0 and <= 1000, got 8.0 at w.yaml:2; write 8"),
        ("rays: 8.5", "probe.rays: expected int > 0 and <= 1000, got 8.5 at w.yaml:2"),
        ("rays: '8'", "probe.rays: expected int > 0 and <= 1000, got '8' at w.yaml:2; write it without quotes"),
        ("rays: true", "probe.rays: expected int > 0 and <= 1000, got True at w.yaml:2"),
        ("rays:", "probe.rays: expected int > 0 and <= 1000, got nothing at w.yaml:2"),
        ("rate: -1", "probe.rate: expected float >= 0 (Hz), got -1 at w.yaml:2"),
        ("rate: .nan", "probe.rate: expected float >= 0 (Hz), got nan at w.yaml:2; write a finite number"),
        ("rate: .inf", "probe.rate: expected float >= 0 (Hz), got inf at w.yaml:2; write a finite number"),
        ("rate: 1e400", "probe.rate: expected float >= 0 (Hz), got inf at w.yaml:2; write a finite number"),
        ("is_on: yes", "probe.is_on: expected true or false, got 'yes' at w.yaml:2; write true"),
        ("is_on: 1", "probe.is_on: expected true or false, got 1 at w.yaml:2"),
        ("mode: fst", "probe.mode: expected 'fast', 'fine', got 'fst' at w.yaml:2; did you mean 'fast'?"),
        ("mode: 3", "probe.mode: expected 'fast', 'fine', got 3 at w.yaml:2"),
        ("shape: bal", "probe.shape: expected 'box', 'ball', got 'bal' at w.yaml:2; did you mean 'ball'?"),
        ("point: [1, 2]", "probe.point: expected a list of 3 float, got [1, 2] at w.yaml:2"),
        ("point: [1, 2, x]", "probe.point[2]: expected float, got 'x' at w.yaml:2"),
        ("point: {x: 1}", "probe.point: expected a list of 3 float, got a mapping at w.yaml:2"),
        ("weights: [1, -2]", "probe.weights[1]: expected float >= 0, got -2 at w.yaml:2"),
        ("weights: [1, 2, 3, 4]", "probe.weights: expected a list of 0 to 3 float >= 0, got [1, 2, 3, 4] at w.yaml:2"),
        ("grid: [[1, 2], [3]]", "probe.grid[1]: expected a list of 2 int, got [3] at w.yaml:2"),
        ("depth: {metres: 0}", "probe.depth.metres: expected float > 0 (m), got 0 at w.yaml:2"),
        ("depth: 3", "probe.depth: expected a mapping, got 3 at w.yaml:2; its keys are 'metres'"),
        (
            "bottom: {metre: 1}",
            "probe.bottom.metre: expected a known key, got 'metre' at w.yaml:2; did you mean 'metres'?",
        ),
        ("gain: 0", "probe.gain: expected float > 0, got 0 at w.yaml:2"),
        ("gain: aut", "probe.gain: expected 'auto' or float > 0, got 'aut' at w.yaml:2; did you mean 'auto'?"),
        ("names: [1]", "probe.names[0]: expected text, got 1 at w.yaml:2; put quotes around it"),
        ("topics: {scan: 1}", "probe.topics.scan: expected text, got 1 at w.yaml:2; put quotes around it"),
        ("topics: [a]", "probe.topics: expected a mapping to text, got ['a'] at w.yaml:2"),
        (
            "topics: {scan: ''}",
            "probe.topics.scan: expected text that is not empty, got '' at w.yaml:2; write one, "
            "or leave an optional key out",
        ),
        ("topics: {'': a}", "probe.topics: expected keys that are not empty, got '' at w.yaml:2"),
        (
            "names: ''",
            "probe.names: expected text that is not empty, got '' at w.yaml:2; write one, or leave an optional key out",
        ),
        (
            "names: [a, '']",
            "probe.names[1]: expected text that is not empty, got '' at w.yaml:2; write one, "
            "or leave an optional key out",
        ),
        ("raes: 3", "probe.raes: expected a known key, got 'raes' at w.yaml:2; did you mean 'rays'?"),
        (
            "cached: 3",
            "probe.cached: expected a known key, got 'cached' at w.yaml:2; there is 'bottom', 'depth', "
            "'extra', 'frame_id', 'gain', 'grid', 'is_on', 'limit', 'mode', 'names' and 9 more",
        ),
        ("pose: 3", "probe.pose: expected a mapping with 'position' and 'orientation', got 3 at w.yaml:2"),
    ],
)
def test_a_mistake_names_address_rule_value_line_and_cure(text, told):
    assert problem(text) == told


def test_a_missing_key_is_refused_at_the_line_of_its_mapping():
    assert problems("rays: 8") == ["probe.frame_id: expected text, got nothing at w.yaml:1; add it"]


def test_every_mistake_is_told_in_the_order_of_the_lines():
    told = problems("rays: 0\nmode: fst\nrate: x\npose: {position: {x: a, q: 1}}\n")
    assert [line.partition(":")[0] for line in told] == [
        "probe.frame_id",
        "probe.rays",
        "probe.mode",
        "probe.rate",
        "probe.pose.position.q",
    ]


def test_what_is_no_mapping_is_refused():
    (told,) = problems("- 1", Depth)
    assert told == "probe: expected a mapping, got [1] at w.yaml:1; its keys are 'metres'"


def test_a_rule_between_fields_names_the_field_and_its_line():
    assert problem("rays: 7") == "probe.rays: expected an even number, got 7 at w.yaml:2; add one"
    assert problem("depth:\n  metres: 7") == "probe.depth.metres: expected less than the tank, got 7 at w.yaml:3"


def test_a_rule_between_fields_may_be_any_text():
    (told,) = problems("frame_id: a\nrate: 7")
    assert told.startswith("probe: ")
    assert "a rate of 7 is unlucky" in told
    assert "w.yaml:1" in told


def test_a_number_of_any_size_is_compared_and_not_converted():
    for value in (10**400, 10**5000):
        with pytest.raises(ConfigError, match="^probe.rays: expected int > 0 and <= 1000, got "):
            read(Probe, from_plain({"frame_id": "a", "rays": value}, Origin("w")), "probe")


def test_a_single_value_of_any_type_can_be_read():
    assert read_value(tuple[int, ...], loads("[1, 2]", "w"), "x") == (1, 2)
    with pytest.raises(ConfigError, match="^x: expected int, got 'a' at w:1$"):
        read_value(int, loads("a", "w"), "x")


def test_a_field_of_an_unknown_type_is_a_mistake_of_the_programmer():
    @dataclass(frozen=True, kw_only=True)
    class Odd:
        when: complex = opt(0j)

    with pytest.raises(TypeError, match="cannot have the type"):
        read(Odd, loads("when: 1", "w"), "odd")


def test_fields_tell_what_documentation_needs():
    fields = {info.name: info for info in fields_of(Probe)}
    assert "cache" not in fields
    assert fields["frame_id"].required
    assert fields["rays"].bounds == "> 0 and <= 1000"
    assert fields["rays"].default == 360
    assert fields["rate"].unit == "Hz"
    assert fields["mode"].choices == ("fast", "fine")
    assert fields["shape"].choices == ("box", "ball")
    assert fields["rays"].doc == "Number of rays."
    assert fields_of(Depth)[0].doc == "Depth below the surface."
    assert fields["plain"].doc == ""


def test_a_class_inherits_the_documentation_of_its_fields():
    @dataclass(frozen=True, kw_only=True)
    class Deeper(Depth):
        colour: str = opt("blue")
        """Colour of the water."""

    docs = {info.name: info.doc for info in fields_of(Deeper)}
    assert docs == {"metres": "Depth below the surface.", "colour": "Colour of the water."}


def test_the_json_schema_states_the_same_rules():
    schema = json_schema(Probe)
    assert schema["required"] == ["frame_id"]
    assert schema["additionalProperties"] is False
    rays = {"type": "integer", "exclusiveMinimum": 0, "maximum": 1000, "description": "Number of rays.", "default": 360}
    assert schema["properties"]["rays"] == rays
    assert schema["properties"]["mode"]["enum"] == ["fast", "fine"]
    assert schema["properties"]["point"]["minItems"] == schema["properties"]["point"]["maxItems"] == 3
    assert schema["properties"]["bottom"]["anyOf"][1] == {"type": "null"}
    assert schema["properties"]["weights"]["items"] == {"type": "number", "minimum": 0}
    assert schema["properties"]["depth"]["properties"]["metres"]["description"] == "Depth below the surface. [m]"
    assert "default" not in schema["properties"]["topics"]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_any_value_is_read_or_refused_with_one_clear_error(value):
    for info in fields_of(Probe):
        node = from_plain({"frame_id": "a", info.name: value}, Origin("w"))
        try:
            read(Probe, node, "probe")
        except ConfigError as error:
            assert all(line.startswith("probe") for line in str(error).splitlines() if " at w" in line)
