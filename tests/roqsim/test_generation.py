from __future__ import annotations

import itertools

import pytest
from roqsim.generation import FrameGeneration, Generations, ModelGeneration, OptionsEpoch, PluginGeneration

KINDS = (ModelGeneration, PluginGeneration, FrameGeneration, OptionsEpoch)


@pytest.mark.parametrize("kind", KINDS)
def test_a_generation_is_ordered_among_its_kind(kind):
    one = kind(number=1)
    assert one == kind(number=1) and hash(one) == hash(kind(number=1))
    assert one < one.next() == kind(number=2) and one != one.next()
    assert type(one.next()) is kind
    assert one != 1 and one != "1"


@pytest.mark.parametrize(("kind", "other"), [*itertools.permutations(KINDS, 2)])
def test_two_kinds_are_not_compared_by_mistake(kind, other):
    for compare in ("__eq__", "__lt__", "__ge__"):
        with pytest.raises(TypeError, match=f"^expected a {kind.kind} to compare with"):
            getattr(kind(number=1), compare)(other(number=1))


def test_an_epoch_of_a_later_episode_is_later_whatever_its_number():
    assert OptionsEpoch(2, 0) > OptionsEpoch(1, 7)
    assert str(OptionsEpoch(2, 3)) == "options epoch 2.3"


def test_all_of_an_engine_read_as_one_line():
    known = Generations(ModelGeneration(2), PluginGeneration(2), FrameGeneration(3))
    assert str(known) == "model generation 2, plugin generation 2, frame generation 3"
    assert known.plain() == {"model": 2, "plugins": 2}
