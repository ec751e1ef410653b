from __future__ import annotations

import pytest
from roqsim.presence import ABSENT_GROUP, set_present
from roqsim.viewer.browser.appearance import Appearance

PARCELS = """
components:
  - boxes: {size: [0.2, 0.2, 0.2], instances: [{name: parcel, pose: {position: [0, 0, 1]}}]}
    name: parcels
"""


def test_a_model_that_keeps_its_looks_has_no_change(ball):
    engine = ball()
    engine.reset()
    looks = Appearance(engine.ctx.model)
    engine.advance(100)
    assert looks.changed() == {}


def test_a_changed_colour_is_noticed_once(ball):
    engine = ball()
    looks = Appearance(engine.ctx.model)
    engine.ctx.model.geom("hull").rgba[:] = [0, 1, 0, 1]
    changed = looks.changed()
    assert list(changed) == ["geom_rgba"]
    assert changed["geom_rgba"][engine.ctx.model.geom("hull").id].tolist() == [0, 1, 0, 1]
    assert looks.changed() == {}


def test_a_copy_does_not_follow_later_changes(ball):
    engine = ball()
    looks = Appearance(engine.ctx.model)
    engine.ctx.model.geom_rgba[0] = 0.25
    changed = looks.changed()["geom_rgba"]
    engine.ctx.model.geom_rgba[0] = 0.75
    assert changed[0].tolist() == pytest.approx([0.25] * 4)


def test_what_becomes_absent_moves_to_the_group_that_no_page_shows(ball):
    engine = ball(PARCELS)
    engine.reset()
    looks = Appearance(engine.ctx.model)
    name = engine.ctx.entities.names()[0]
    set_present(engine.ctx, name, False)
    groups = looks.changed()["geom_group"]
    assert ABSENT_GROUP in groups
