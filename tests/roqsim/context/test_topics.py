from __future__ import annotations

import pytest
from roqsim.context import Endpoint, SimContext
from roqsim.errors import ConfigError

from roqsim import Engine, load_config


def port(owner, topic, *, name="scan", namespace="", direction="out", **hints):
    use = {"read": lambda: 1} if direction == "out" else {"write": print}
    backend = {"ros2": {"topic": topic, **hints}}
    return Endpoint(name, direction, owner, namespace=namespace, backend=backend, **use)


def clashes(*endpoints):
    ctx = SimContext()
    for endpoint in endpoints:
        ctx.interface.add(endpoint)
        ctx.interface.credit(f"{endpoint.owner}.device")
    return [str(clash) for clash in ctx.interface.clashes()]


def test_two_streams_on_one_topic_are_named_with_the_components_that_made_them():
    (text,) = clashes(port("front", "scan"), port("rear", "scan"))
    assert text == (
        "rear.device: expected a topic of its own for 'scan', got '/scan', which front.device has; "
        "write `topics: {scan: <another>}` in one of the two, or give what carries them a `namespace:` of its own"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"topic": "scan", "namespace": "a"}, {"topic": "scan", "namespace": "b"}),
        ({"topic": "scan"}, {"topic": "scan_2"}),
        ({"topic": "/tf_static", "shared": True}, {"topic": "/tf_static", "shared": True}),
        ({"topic": "cmd_vel", "direction": "in"}, {"topic": "cmd_vel", "direction": "in"}),
        ({"topic": "pose"}, {"topic": "pose", "direction": "in"}),
    ],
    ids=["namespaces", "topics", "shared", "listeners", "directions"],
)
def test_what_differs_or_may_be_shared_does_not_clash(first, second):
    assert clashes(port("front", **first), port("rear", **second)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"topic": "/scan", "namespace": "a"}, {"topic": "/scan", "namespace": "b"}),
        ({"topic": "scan", "namespace": "a"}, {"topic": "/a/scan", "namespace": "b"}),
        ({"topic": "scan/", "namespace": "/a/"}, {"topic": "scan", "namespace": "a"}),
        ({"topic": "fault", "direction": "in", "service": "x"}, {"topic": "fault", "direction": "in", "service": "x"}),
        ({"topic": "move", "direction": "in", "action": "x"}, {"topic": "move", "direction": "in", "action": "x"}),
    ],
    ids=["absolute", "absolute and scoped", "slashes", "services", "actions"],
)
def test_names_clash_as_a_transport_would_see_them(first, second):
    assert len(clashes(port("front", **first), port("rear", **second))) == 1


def test_a_namespace_is_no_cure_within_one_owner():
    (text,) = clashes(port("bot", "scan"), port("bot", "scan", name="rear"))
    assert text.endswith("write `topics: {rear: <another>}` in one of the two")


def test_a_world_with_two_streams_on_one_topic_is_refused_before_it_runs(world):
    entries = [{"dummy": {}, "name": "one"}, {"dummy": {}, "name": "two"}]
    with pytest.raises(ConfigError, match="^two: expected a topic of its own for 'count', got '/count', which one has"):
        world({"components": entries})
    entries[1]["dummy"] = {"topics": {"count": "two/count"}}
    assert world({"components": entries}).ctx.interface.get("two", "count").component == "two"


def test_a_clash_is_told_with_the_line_of_the_entry_that_came_later(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text("components:\n  - dummy:\n    name: one\n  - dummy:\n    name: two\n")
    with pytest.raises(ConfigError, match=r"^two: expected .* which one has at \S*world\.yaml:4; write"):
        Engine(load_config(path)).setup()
