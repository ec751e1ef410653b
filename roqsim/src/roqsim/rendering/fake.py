"""A backend without GL, to test everything around it: it paints numbers, and does what it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable

import mujoco
import numpy as np

from roqsim.errors import GLError
from roqsim.rendering.backend import ContextLost, Device, Shot
from roqsim.rendering.quality import Needs


class FakeBackend:
    """Paints each pixel of a plane with a value of the shot; see ``Backend``.

    Args:
        renderer: The name of the device.
        refuses: Why there is no usable GL; empty for one that works.
        value: What to paint, from plane and shot; by default 1, 2 and 3 for colour, depth and geoms.

    Attributes:
        gate: Cleared, it holds the render thread up in front of every plane.
        entered: Set when the render thread has come to the gate.
        broken: Planes that fail.
        is_lost: Whether the next plane finds the context lost.
        calls: What was asked of it and on which thread, in order.
        loads: Every model and need that was loaded.
    """

    VALUES = {"colour": 1, "depth": 2.0, "geoms": 3}

    def __init__(
        self,
        *,
        renderer: str = "llvmpipe (fake)",
        refuses: str = "",
        value: Callable[[str, Shot], float] | None = None,
    ) -> None:
        self._renderer = renderer
        self._refuses = refuses
        self._value = value or (lambda plane, shot: self.VALUES[plane])
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.broken: set[str] = set()
        self.is_lost = False
        self.calls: list[tuple[str, int]] = []
        self.loads: list[tuple[mujoco.MjModel, Needs]] = []

    def _note(self, call: str) -> None:
        self.calls.append((call, threading.get_ident()))

    def open(self) -> Device:
        """Names the device, or refuses."""
        self._note("open")
        if self._refuses:
            raise GLError(self._refuses)
        return Device(self._renderer, "fake")

    def load(self, model: mujoco.MjModel, needs: Needs) -> None:
        """Notes what was loaded."""
        self._note("load")
        self.loads.append((model, needs))

    def draw(self, plane: str, shot: Shot, out: np.ndarray) -> None:
        """Paints the plane once the gate is open."""
        self._note(plane)
        self.entered.set()
        self.gate.wait()
        if self.is_lost:
            raise ContextLost("the fake context is lost")
        if plane in self.broken:
            raise RuntimeError(f"{plane} is broken")
        out[...] = self._value(plane, shot)

    def close(self) -> None:
        """Notes the end."""
        self._note("close")
