"""Fixtures for tests of worlds and plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from roqsim.engine import Engine


@pytest.fixture
def world() -> Iterator[Callable[..., Engine]]:
    """Opens worlds as ``roqsim.testing.world`` does and shuts them down at the end of the test."""
    from roqsim.testing.worlds import world as open_world

    opened: list[Engine] = []

    def opener(*args: object, **kwargs: object) -> Engine:
        engine = open_world(*args, **kwargs)
        opened.append(engine)
        return engine

    yield opener
    for engine in opened:
        engine.shutdown()
