from __future__ import annotations

import pytest
from roqsim.config.transport import Transport, drop_transport, drop_transport_plugins, with_transport
from roqsim.config.world import instantiate_plugins, load_config
from roqsim.errors import ConfigError

WORLD = "components:\n- toy_plain: {}\n  name: robot\n"


def addresses(cfg):
    return [spec.address for spec in cfg.plugins]


def config(cfg, address):
    return next(spec for spec in cfg.plugins if spec.address == address).config.plain()


def test_the_bridge_is_appended_after_everything_else(write, toybox):
    write("w.yaml", WORLD)
    assert addresses(with_transport(load_config("w.yaml"))) == ["robot", "ros2_bridge"]


def test_what_is_appended_depends_on_what_is_asked_for(write, toybox):
    write("w.yaml", WORLD)
    cfg = load_config("w.yaml")
    assert addresses(with_transport(cfg, ros=False)) == ["robot"]
    assert addresses(with_transport(cfg, ros=False, sim_control=True)) == ["robot", "ros2_bridge", "sim_interfaces"]
    named = with_transport(cfg, ros=False, tf_namespace="robot1")
    assert config(named, "ros2_bridge") == {"tf_namespace": "robot1"}


def test_appending_twice_is_appending_once(write, toybox):
    write("w.yaml", WORLD)
    once = with_transport(load_config("w.yaml"), sim_control=True, tf_namespace="a")
    twice = with_transport(once, sim_control=True, tf_namespace="a")
    assert addresses(once) == addresses(twice)
    assert once.raw == twice.raw


def test_a_bridge_that_the_author_put_there_stays_and_takes_the_namespace(write, toybox):
    write("w.yaml", WORLD + "- ros2_bridge: {rate: 3}\n  name: bridge\n- toy_scanner\n")
    cfg = with_transport(load_config("w.yaml"), tf_namespace="a")
    assert addresses(cfg) == ["robot", "bridge", "toy_scanner"]
    assert config(cfg, "bridge") == {"rate": 3, "tf_namespace": "a"}


def test_a_bridge_that_is_disabled_is_none(write, toybox):
    write("w.yaml", WORLD + "- ros2_bridge: {rate: 3}\n  enabled: false\n")
    cfg = with_transport(load_config("w.yaml"))
    assert addresses(cfg) == ["robot", "ros2_bridge_2"]


def test_an_override_reaches_what_is_appended(write, toybox):
    write("w.yaml", WORLD)
    transport = Transport(ros=True)
    cfg = load_config("w.yaml", ["components.ros2_bridge.rate=5"], transport=transport)
    assert config(cfg, "ros2_bridge") == {"rate": 5}
    assert config(with_transport(cfg, tf_namespace="b"), "ros2_bridge") == {"rate": 5, "tf_namespace": "b"}


def test_the_loaded_world_itself_is_left_as_it_was(write, toybox):
    write("w.yaml", WORLD)
    cfg = load_config("w.yaml")
    with_transport(cfg, sim_control=True)
    assert addresses(cfg) == ["robot"]


def test_a_world_that_needs_only_its_transport_names_the_two_ways_on(write, toybox):
    write("w.yaml", WORLD)
    with pytest.raises(ConfigError) as caught:
        instantiate_plugins(load_config("w.yaml", transport=Transport(sim_control=True)))
    assert str(caught.value) == (
        "components.ros2_bridge: expected installed plugins, got 'ros2_bridge', 'sim_interfaces' at --sim-control; "
        "the world needs only its transport: install the package roqsim_ros_bridge in the ROS 2 workspace and source "
        "it, or run without it: leave out what asks for it, or take --no-communication where the document declares it"
    )
    with pytest.raises(ConfigError, match=r"got 'ros2_bridge' at --tf-namespace r; the world needs only"):
        instantiate_plugins(load_config("w.yaml", transport=Transport(tf_namespace="r")))


def test_dropping_takes_what_is_known_to_be_transport_and_nothing_else(write, toybox):
    write("w.yaml", WORLD + "- ros2_bridge\n- toy_radio:\n  components: [toy_scanner]\n- toy_plian\n")
    cfg, names = drop_transport(load_config("w.yaml"))
    assert names == cfg.dropped == ["ros2_bridge", "toy_radio"]
    assert addresses(cfg) == ["robot", "toy_plian"]
    with pytest.raises(
        ConfigError, match="expected an installed plugin, got 'toy_plian' at w.yaml:7; .*did you mean 'toy_plain'"
    ):
        instantiate_plugins(cfg)


def test_dropping_leniently_takes_whatever_was_not_found_as_well(write, toybox):
    write("w.yaml", WORLD + "- ros2_bridge\n- toy_radio\n- toy_plian\n")
    cfg, names = drop_transport_plugins(load_config("w.yaml"))
    assert names == ["ros2_bridge", "toy_radio", "toy_plian"]
    assert [plugin.address for plugin in instantiate_plugins(cfg)] == ["robot"]


def test_dropping_undoes_appending(write, toybox):
    write("w.yaml", WORLD)
    cfg = load_config("w.yaml")
    dropped, names = drop_transport(with_transport(cfg, sim_control=True))
    assert names == ["ros2_bridge", "sim_interfaces"]
    assert dropped.plugins == cfg.plugins
    assert instantiate_plugins(dropped)
