from __future__ import annotations

import pytest
from roqsim.context import Entity, EntityRegistry, SimContext
from roqsim.errors import NotFoundError, RoqsimError
from roqsim.plugin import Plugin


@pytest.fixture
def entities():
    registry = EntityRegistry()
    registry.add(Entity("robot", "robot", address="robot"))
    registry.add(Entity("robot.arm", "robot", address="robot.arm"))
    registry.add(Entity("crate", "object", address="props.crate"))
    return registry


def test_entities_are_listed_in_the_order_of_registration(entities):
    assert entities.names() == ["robot", "robot.arm", "crate"]
    assert [entity.name for entity in entities] == entities.names()
    assert "crate" in entities
    assert len(entities) == 3


def test_a_name_is_given_once_and_the_error_names_both(entities):
    with pytest.raises(
        RoqsimError, match=r"^more\.crate: .* got 'crate', which props\.crate has; give one of them another"
    ):
        entities.add(Entity("crate", "object", address="more.crate"))


def test_an_unknown_name_is_answered_with_the_nearest(entities):
    assert entities.get("crete") is None
    with pytest.raises(NotFoundError, match=r"did you mean 'crate'\?"):
        entities.require("crete")


def test_an_absent_entity_is_not_listed_but_can_be_found(entities):
    entities.require("crate").present = False
    assert entities.names() == ["robot", "robot.arm"]
    assert entities.get("crate") is entities.absent()[0]


def test_what_an_absent_entity_carries_is_not_listed(entities):
    entities.require("robot").present = False
    assert entities.names() == ["crate"]
    assert [entity.name for entity in entities.absent()] == ["robot"]
    assert not entities.is_present(entities.require("robot.arm"))
    assert entities.is_present(entities.require("crate"))


def test_a_removed_entity_is_forgotten(entities):
    entities.remove("crate")
    assert "crate" not in entities
    with pytest.raises(NotFoundError):
        entities.remove("crate")


@pytest.mark.parametrize(
    ("owner", "name"),
    [("robot", "robot"), ("robot.arm.camera", "robot.arm"), ("robot.base", "robot"), ("nobody", None), (None, None)],
)
def test_a_plugin_belongs_to_the_nearest_entity_around_it(entities, owner, name):
    ctx = SimContext()
    ctx.entities = entities
    plugin = Plugin()
    plugin.owner = owner
    found = ctx.owner_of(plugin)
    assert (found and found.name) == name


def test_a_removed_member_of_a_population_leaves_it():
    entities = EntityRegistry()
    for name in ("a", "b"):
        entities.add(Entity(name, "object", address=f"pile.{name}", population="pile"))
    assert [entity.name for entity in entities.members("pile")] == ["a", "b"]
    with pytest.raises(
        RoqsimError, match=r"^pile\.imu: expected to be nested under one entity, got 'pile', .*'a', 'b'"
    ):
        entities.owner_of("pile.imu", "pile")
    entities.remove("a")
    assert entities.owner_of("pile.imu", "pile") is entities.require("b")
    assert entities.members("nothing") == []
