"""Watching a run: a window beside the simulation, its keys, its camera and what a person does in it.

The window is a process of its own. It gets the compiled model once, and after that reads a block of shared memory that
the physics thread fills at most 60 times a second and never waits for. What a person does in it comes back as messages,
which become commands of the engine like any other. So a window that nobody touches changes no bit of a run, and one
that is slow, hidden or broken does not hold it up.
"""

from __future__ import annotations

from roqsim.viewer.viewer import Viewer

__all__ = ["Viewer"]
