from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.errors import ConfigError, RoqsimError
from roqsim.plugins.boxes import Boxes
from roqsim.plugins.cylinders import Cylinders
from roqsim.spawning.population import DENSITY
from roqsim.testing import check_plugin

BOXES = {
    "boxes": {
        "size": [0.2, 0.4, 0.6],
        "friction": 0.3,
        "instances": [
            {"pose": {"position": [0, 0, 1]}},
            {"name": "crate", "size": [0.5, 0.5, 0.5], "mass": 3.0, "pose": {"position": [1, 0, 0.25]}},
            {"name": "pillar", "motion": "static", "pose": {"position": [2, 0, 0.3]}, "rgba": [1, 0, 0, 1]},
            {"name": "door", "motion": "driven", "friction": [0.9, 0.01], "pose": {"position": [3, 0, 0.3]}},
        ],
    },
    "name": "stock",
}

POSTS = {
    "cylinders": {
        "radius": 0.1,
        "motion": "static",
        "instances": [
            {"height": 1.0},
            {"height": 2.0, "radius": 0.2, "motion": "physics", "pose": {"position": [1, 0, 1]}},
        ],
    },
    "name": "posts",
}


def test_populations_keep_the_contract():
    check_plugin(Boxes, {"components": [BOXES]})
    check_plugin(Cylinders, {"components": [POSTS]})


def test_every_box_is_an_entity_of_its_own(world):
    ctx = world({"components": [BOXES]}).ctx
    assert ctx.entities.names() == ["stock_0", "crate", "pillar", "door"]
    crate = ctx.entities.at("stock.crate")
    assert (crate.name, crate.kind, crate.body_name) == ("crate", "object", "crate")
    assert ctx.model.body(crate.body).name == "crate"
    assert ctx.entities.get("stock_0").meta["base_joint"] == "stock_0_freejoint"


def test_a_box_takes_what_it_does_not_say_from_the_population(world):
    model = world({"components": [BOXES]}).ctx.model
    assert list(model.geom("stock_0").size) == [0.1, 0.2, 0.3]
    assert list(model.geom("crate").size) == [0.25, 0.25, 0.25]
    assert model.body("stock_0").mass == pytest.approx(DENSITY * 0.2 * 0.4 * 0.6)
    assert model.body("crate").mass == pytest.approx(3.0)
    assert model.body("crate").inertia == pytest.approx([3.0 * 0.5**2 / 6] * 3)
    assert list(model.geom("crate").friction) == [0.3, 0.005, 0.0001]
    assert list(model.geom("door").friction) == [0.9, 0.01, 0.0001]
    assert list(model.geom("pillar").rgba) == [1, 0, 0, 1]


def test_motion_decides_what_a_box_is_carried_by(world):
    model = world({"components": [BOXES]}).ctx.model
    kinds = {
        name: (int(model.body(name).jntnum[0]), int(model.body(name).mocapid[0]))
        for name in ("crate", "pillar", "door")
    }
    assert kinds == {"crate": (1, -1), "pillar": (0, -1), "door": (0, 0)}


def test_a_cylinder_has_the_inertia_of_a_cylinder(world):
    model = world({"components": [POSTS]}).ctx.model
    mass = DENSITY * math.pi * 0.2**2 * 2.0
    body = model.body("posts_1")
    assert body.mass == pytest.approx(mass)
    assert sorted(body.inertia) == pytest.approx(sorted([mass * (3 * 0.04 + 4) / 12] * 2 + [mass * 0.04 / 2]))
    assert list(model.geom("posts_0").size[:2]) == [0.1, 0.5]


def test_absence_holds_for_every_instance_and_comes_back_with_a_reset(world):
    engine = world({"components": [{**BOXES, "present": False}]})
    assert engine.ctx.entities.names() == []
    assert [entity.name for entity in engine.ctx.entities.absent()] == ["stock_0", "crate", "pillar", "door"]
    start = engine.ctx.data.qpos.copy()
    engine.advance(200)
    assert np.array_equal(engine.ctx.data.qpos, start)
    engine.reset()
    assert engine.ctx.entities.names() == []


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"instances": [{}]}, "expected a size for box 0, got none at document; add 'size: "),
        (
            {"instances": []},
            r"components\.boxes\.instances: expected a list of 1 to 20000, each item a mapping, got \[\]",
        ),
        ({"instances": [{"size": [0.1, 0, 0.1]}]}, r"components\.boxes\.instances\[0\]\.size\[1\]: expected float > 0"),
        (
            {"size": [1, 1, 1], "instances": [{"name": "a"}, {"name": "a"}]},
            "expected names of their own, got 'a' twice",
        ),
        ({"size": [1, 1, 1], "instances": [{"motion": "phisics"}]}, "did you mean 'physics'"),
        ({"size": [1, 1, 1], "instances": [{"friction": [-0.1]}]}, "friction"),
        ({"size": [1, 1, 1], "instances": [{"mas": 1}]}, "did you mean 'mass'"),
    ],
)
def test_a_wrong_population_is_refused(world, config, expected):
    with pytest.raises(ConfigError, match=expected):
        world({"components": [{"boxes": config}]})


def test_two_populations_can_not_share_a_name(world):
    one = {"size": [1, 1, 1], "instances": [{"name": "a"}]}
    with pytest.raises(RoqsimError, match="right.a: expected an entity name of its own, got 'a', which left.a has"):
        world({"components": [{"boxes": one, "name": "left"}, {"boxes": dict(one), "name": "right"}]})


def test_the_cost_of_a_box_does_not_grow_with_their_number(world):
    """An attach for each would make ten times as many cost a hundred times as much."""

    def seconds(count):
        places = [{"pose": {"position": [x % 50, x // 50, 1]}} for x in range(count)]
        boxes = {"boxes": {"size": [0.1, 0.1, 0.1], "motion": "static", "instances": places}}
        return world({"components": [boxes]}).load_report()["build"]

    ratios = []
    for _ in range(5):
        ratios.append(seconds(2000) / seconds(200))
        if ratios[-1] < 30:
            return
    pytest.fail(f"2000 boxes take {min(ratios):.0f} times as long to build as 200")


def piled(count: int, *nested: dict) -> dict:
    """A world of a population of boxes ``c0``, ``c1``, … with components nested under it."""
    boxes = [{"name": f"c{i}", "pose": {"position": {"x": 2.0 * i, "z": 3.0}}} for i in range(count)]
    return {
        "components": [
            {"boxes": {"size": [0.2, 0.2, 0.2], "instances": boxes}, "name": "pile", "components": list(nested)}
        ]
    }


def test_what_is_nested_under_a_population_of_one_belongs_to_that_one(world):
    engine = world(piled(1, {"ground_truth_pose": {}}))
    engine.advance(100)
    assert engine.ctx.interface.get("c0", "ground_truth_pose").read().position[2] < 3.0


@pytest.mark.parametrize("nested", [{"ground_truth_pose": {}}, {"wrench": {"body": "c0"}}])
def test_what_needs_one_entity_is_refused_under_several_and_both_entries_are_named(world, nested):
    with pytest.raises(RoqsimError) as error:
        world(piled(3, nested))
    assert error.value.exit_status == 2
    assert str(error.value).startswith(
        f"pile.{next(iter(nested))}: expected to be nested under one entity, "
        "got 'pile', a population of 'c0', 'c1' and 1 more"
    )
    assert str(error.value).endswith("; give what carries it an entry of its own")


def test_what_needs_no_owner_may_be_nested_under_a_population(world):
    inner = {"boxes": {"size": [0.1, 0.1, 0.1], "instances": [{"name": "small"}]}}
    assert world(piled(2, inner)).ctx.entities.require("small").carrier is None


def test_what_a_population_of_one_carries_comes_and_goes_with_it(world):
    engine = world(piled(1, {"boxes": {"size": [0.1, 0.1, 0.1], "instances": [{"name": "small"}]}}))
    entities = engine.ctx.entities
    assert entities.require("small").carrier is entities.require("c0")
    assert entities.require("c0").carrier is None
