from __future__ import annotations

from types import SimpleNamespace

import mujoco
import pytest
from roqsim.rendering import Pinhole, Quality, RenderService, StillSource, View
from roqsim.rendering.fake import FakeBackend

BALL = """
<mujoco>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="ball" pos="2 0 .5"><freejoint/><geom name="ball" size=".1" rgba="1 0 0 1"/></body>
    <camera name="eye" pos="0 0 .5" xyaxes="0 -1 0 0 0 1"/>
  </worldbody>
</mujoco>
"""

LENS = Pinhole.from_fovy(16, 12, 1.0, 0.05, 20.0)


def make_still(xml: str = BALL) -> StillSource:
    """A model at its beginning."""
    model = mujoco.MjModel.from_xml_string(xml)
    return StillSource(model, mujoco.MjData(model))


@pytest.fixture
def still():
    """Makes a source of states without a simulation."""
    return make_still


@pytest.fixture
def rig():
    """Makes a service on a fake backend with one camera, ``stream``; everything is closed at the end."""
    opened = []

    def make(*, backend=None, capacity=2, quality=None, patience=5.0, **options):
        backend = backend or FakeBackend()
        source = make_still()
        service = RenderService(source, backend=backend, patience=patience, **options)
        stream = service.open_view(View("eye", 0, LENS, quality or Quality()), capacity=capacity)
        opened.append((service, backend))
        return SimpleNamespace(service=service, backend=backend, source=source, stream=stream)

    yield make
    for service, backend in opened:
        backend.gate.set()
        service.close()
