from __future__ import annotations

import pytest
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.errors import ConfigError

WORLD = """\
sim:
  view: {track: crat, azimuth: 30}
components:
  - boxes: {instances: [{name: crate, size: [0.1, 0.1, 0.1]}]}
    present: false
"""


def refusal(path, *overrides):
    engine = Engine(load_config(path, *overrides))
    with pytest.raises(ConfigError) as raised:
        engine.setup()
    return str(raised.value)


def test_an_entity_that_the_view_tracks_has_to_exist_whoever_looks(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text(WORLD)
    text = "sim.view.track: expected the name of an entity with a body, got 'crat' at {}:2; did you mean 'crate'?"
    assert refusal(path) == text.format(path)
    other = refusal(path, {"sim": {"view": {"track": "creat"}}})
    assert other == "sim.view.track: expected the name of an entity with a body, got 'creat'; did you mean 'crate'?"


def test_one_that_is_absent_at_first_may_be_tracked(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text(WORLD)
    with Engine(load_config(path, {"sim": {"view": {"track": "crate"}}})) as engine:
        engine.reset()
