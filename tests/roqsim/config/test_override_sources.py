"""Where overrides come from: the environment, a list of texts, a caller."""

from __future__ import annotations

import pytest
from roqsim.config.overrides import assignments, from_environment, overrides_from_dotlist
from roqsim.errors import ConfigError


def test_the_environment_names_a_file(write):
    write("o.yaml", "sim: {timestep: x")
    assert from_environment({}) == from_environment({"ROQSIM_WORLD_OVERRIDES": ""}) == []
    with pytest.raises(ConfigError, match="ROQSIM_WORLD_OVERRIDES=o.yaml: expected valid YAML"):
        from_environment({"ROQSIM_WORLD_OVERRIDES": "o.yaml"})


def test_a_dotlist_becomes_the_nested_mapping():
    assert overrides_from_dotlist(["sim.timestep=1e-3", "components.a.b=[1]", "sim.timestep=2", "sim.view={x: 1}"]) == {
        "sim": {"timestep": 2, "view": {"x": 1}},
        "components": {"a": {"b": [1]}},
    }


def test_a_single_text_is_one_assignment():
    assert overrides_from_dotlist("sim.timestep=1e-3") == {"sim": {"timestep": 0.001}}


def test_what_is_no_override_at_all_is_a_mistake_of_the_caller():
    with pytest.raises(TypeError, match="overrides: expected a nested mapping, or a list of 'path=value' texts, got 3"):
        assignments(3)


def test_a_wrong_dotlist_tells_every_mistake():
    with pytest.raises(ConfigError) as caught:
        overrides_from_dotlist(["a", "b", "sim.x=1"])
    assert len(caught.value.problems) == 2
