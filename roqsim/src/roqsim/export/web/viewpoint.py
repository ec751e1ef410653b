"""Where a browser's camera begins: where a picture of the same world would be taken from."""

from __future__ import annotations

import math

from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.rendering.framing import Wish, find_viewpoint
from roqsim.rendering.sight import Sight
from roqsim.rendering.subject import preferred_angles, subject_boxes

FOVY = 36.0
"""Vertical field of view in degrees that the scene is framed for, a common one of browser cameras."""

ASPECT = 4.0 / 3.0
"""Columns of the picture by its rows."""


def view_words(ctx: SimContext, view: View) -> dict[str, object]:
    """``lookat`` in metres, ``distance`` in metres, ``azimuth`` and ``elevation`` in degrees, as ``sim.view`` has them.

    Args:
        ctx: A simulation.
        view: What is fixed; the rest is chosen so that everything is in the picture and nothing in the way.
    """
    half = math.tan(math.radians(FOVY) / 2.0)
    boxes = subject_boxes(ctx, () if view.track is None else (view.track,))
    wish = Wish(view, *preferred_angles(ctx.model))
    viewpoint = find_viewpoint(boxes, Sight(ctx.model, ctx.data, boxes), wish, (half * ASPECT, half)).rounded()
    return {
        "lookat": list(viewpoint.lookat),
        "distance": viewpoint.distance,
        "azimuth": viewpoint.azimuth,
        "elevation": viewpoint.elevation,
    }
