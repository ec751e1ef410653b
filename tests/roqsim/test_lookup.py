from __future__ import annotations

import pytest
from roqsim.errors import RoqsimError
from roqsim.lookup import LookupError_, resolve_body_id

DOCUMENT = """
components:
  - name: crate
    boxes: {instances: [{name: crate, size: [1, 1, 1], pose: {position: [0, 0, 1]}}]}
    present: false
  - name: cart
    boxes: {motion: driven, instances: [{name: cart, size: [1, 1, 1], pose: {position: [3, 0, 1]}}]}
  - name: shelf
    boxes: {motion: static, instances: [{name: shelf, size: [1, 1, 1], pose: {position: [6, 0, 1]}}]}
"""


@pytest.fixture
def ctx(world):
    return world(DOCUMENT).ctx


def test_an_entity_leads_to_its_root_body_also_while_absent(ctx):
    assert resolve_body_id(ctx, "crate") == ctx.model.body("crate").id
    assert resolve_body_id(ctx, "cart") == ctx.model.body("cart").id


def test_what_can_never_move_is_refused_unless_that_is_fine(ctx):
    with pytest.raises(
        LookupError_, match=r"entity_moved: expected a body that can move, got 'shelf'.*`motion: physics`"
    ):
        resolve_body_id(ctx, "shelf", what="entity_moved")
    assert resolve_body_id(ctx, "shelf", movable=False) == ctx.model.body("shelf").id
    assert resolve_body_id(ctx, "world", movable=False) == 0


def test_an_unknown_name_gets_the_nearest_one(ctx):
    with pytest.raises(LookupError_, match="did you mean 'crate'") as caught:
        resolve_body_id(ctx, "krate")
    assert isinstance(caught.value, RoqsimError)
    assert isinstance(caught.value, LookupError)
    assert caught.value.exit_status == 2
