"""A world with a camera and a backend without GL."""

from __future__ import annotations

import pytest
from roqsim.rendering.fake import FakeBackend

SMALL = {"width": 16, "height": 12, "pose": {"position": [0, 0, 0.5]}, "rate_hz": 50}


class Rig:
    """A world with one camera ``cam`` and a backend without GL."""

    def __init__(self, engine, backend):
        self.engine, self.ctx, self.backend = engine, engine.ctx, backend

    def endpoint(self, name="image", owner=""):
        """An endpoint of the camera."""
        return self.ctx.interface.get(owner, name)

    def read(self, name="image"):
        """The payload of an endpoint."""
        return self.endpoint(name).read()

    def listen(self, *names):
        """Gives endpoints a listener, as a transport does, and all the others none."""
        for endpoint in self.ctx.interface.by_direction("out"):
            endpoint.has_subscribers = endpoint.name in names

    def settle(self):
        """Waits until the render thread has nothing to do."""
        service = self.ctx.render
        with service._changed:
            assert service._changed.wait_for(lambda: service._thread.is_idle, 5.0)

    @property
    def drawn(self):
        """How many planes were drawn."""
        return sum(call in ("colour", "depth", "geoms") for call, _ in self.backend.calls)


@pytest.fixture
def rig(world, monkeypatch):
    """Opens a world with a camera: ``rig(streams=[...])``."""
    rigs = []

    def make(*others, backend=None, seed=None, sim=None, reset=True, **config):
        backend = backend or FakeBackend()
        monkeypatch.setattr("roqsim.rendering.service._classic", lambda: backend)
        entries = [{"camera": {**SMALL, **config}, "name": "cam"}, *others]
        document = {"sim": {"timestep": 0.002, "world": "empty_room", **(sim or {})}, "components": entries}
        rigs.append(Rig(world(document, seed=seed, reset=reset), backend))
        return rigs[-1]

    yield make
    for each in rigs:
        each.backend.gate.set()
