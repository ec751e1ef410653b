from __future__ import annotations

import pytest
from roqsim.rendering.demand import Demand


def test_nobody_wants_anything_at_first():
    assert Demand().take() == frozenset()


def test_what_is_wanted_once_is_served_once():
    demand = Demand()
    demand.once({"colour"})
    demand.once({"depth"})
    assert demand.take() == {"colour", "depth"}
    assert demand.take() == frozenset()


def test_a_watch_lasts_until_it_is_closed():
    demand = Demand()
    with demand.watch({"colour"}):
        assert demand.take() == {"colour"}
        assert demand.take() == {"colour"}
    assert demand.take() == frozenset()


def test_two_watches_do_not_end_each_other():
    demand = Demand()
    first, second = demand.watch({"colour"}), demand.watch({"colour", "depth"})
    first.close()
    first.close()
    assert demand.planes == {"colour", "depth"}
    second.close()
    assert demand.planes == frozenset()


def test_an_unknown_plane_is_refused():
    with pytest.raises(ValueError, match="expected a plane of colour, depth, geoms, got 'color'"):
        Demand().once({"color"})
