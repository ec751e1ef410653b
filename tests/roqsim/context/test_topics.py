from __future__ import annotations

import pytest
from roqsim.context import Endpoint, SimContext
from roqsim.errors import ConfigError
from roqsim.plugin import Plugin

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


def transforms(owner, *children, namespace="", topic="/tf_static"):
    """An endpoint that places fixed frames."""
    hints = {"topic": topic, "latched": True, "shared": True, "fixed_frames": children}
    return Endpoint("tf_static", "out", owner, read=lambda: None, namespace=namespace, backend={"ros2": hints})


def odometry(owner, child, *, namespace="", tf=True):
    """An endpoint that places a base."""
    hints = {"topic": f"{owner}/odom", "child_frame_id": child, "frame_id": "odom", "tf": tf}
    return Endpoint("odom", "out", owner, read=lambda: None, namespace=namespace, backend={"ros2": hints})


def frame_clashes(*endpoints):
    ctx = SimContext()
    for endpoint in endpoints:
        ctx.interface.add(endpoint)
        ctx.interface.credit(f"{endpoint.owner}.device")
    return ctx.interface.frame_clashes()


@pytest.mark.parametrize(
    ("first", "second", "frames"),
    [
        (odometry("a", "base"), odometry("b", "base"), ["base"]),
        (odometry("a", "base"), transforms("b", "lens", "base"), ["base"]),
        (transforms("a", "x", "y", "z"), transforms("b", "y", "z"), ["y", "z"]),
        (transforms("a", "x", namespace="/bot/"), transforms("b", "/bot/x"), ["bot/x"]),
        (odometry("a", "base"), odometry("b", "base", tf=False), []),
        (odometry("a", "base"), odometry("b", "base", namespace="b"), []),
        (odometry("a", "a_base"), odometry("b", "b_base"), []),
        (transforms("a", "x"), transforms("b", "x", topic="/b/tf_static"), []),
    ],
)
def test_a_frame_is_placed_by_one_endpoint_of_a_tree(first, second, frames):
    found = frame_clashes(first, second)
    assert [clash.topic for clash in found] == frames
    assert all(str(clash).startswith(f"b.device: expected a frame of its own for {second.name!r}") for clash in found)


class Base(Plugin):
    """Has a namespace, and ports that are named by its configuration."""

    def configure(self, ctx):
        ctx.interface.add(odometry(self.name, self.config["frame"], namespace=self.config.get("namespace", "")))


def test_two_components_that_place_one_frame_are_refused_before_the_world_runs(world):
    entries = [{f"{__name__}:Base": {"frame": "base_link"}, "name": name} for name in ("one", "two")]
    with pytest.raises(ConfigError) as error:
        world({"components": entries})
    assert str(error.value).startswith(
        "two: expected a frame of its own for 'odom' to place, got 'base_link', which one places"
    )
    entries[1][f"{__name__}:Base"] = {"frame": "base_link", "namespace": "two"}
    world({"components": entries})
