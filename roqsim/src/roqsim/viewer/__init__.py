"""Watching a run: a window beside the simulation or a page in a browser, its camera, and what a person does there.

Window and page are processes of their own. They get the compiled model once, and after that copies of the state at most
60 times a second: the window through a block of shared memory, the page through a socket. The physics never waits
for them. What a person does comes back as messages, which become commands of the engine like any other. So a view that
nobody touches changes no bit of a run, and one that is slow, hidden or broken does not hold it up.
"""

from __future__ import annotations

from roqsim.viewer.viewer import Viewer

__all__ = ["Viewer"]
