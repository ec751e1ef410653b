"""Pictures: one render thread with one GL context for every camera of an engine.

``RenderService`` is what plugins reach as ``ctx.render``; stills and videos use the same service on a ``StillSource``.
"""

from roqsim.rendering.device import check_gl_backend
from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.quality import Quality
from roqsim.rendering.scene import SceneOptions
from roqsim.rendering.service import RenderService, open_service
from roqsim.rendering.snapshot import StillSource
from roqsim.rendering.store import Lease, Stamp
from roqsim.rendering.stream import Stream
from roqsim.rendering.turn import Turn, TurnStatus
from roqsim.rendering.view import View

__all__ = [
    "Lease",
    "Pinhole",
    "Quality",
    "RenderService",
    "SceneOptions",
    "Stamp",
    "StillSource",
    "Stream",
    "Turn",
    "TurnStatus",
    "View",
    "check_gl_backend",
    "open_service",
]
