"""Where a browser's camera begins: where a picture of the same world would be taken from."""

from __future__ import annotations

import math

from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.rendering.framing import Wish, find_viewpoint
from roqsim.rendering.sight import Sight
from roqsim.rendering.subject import find_entity, preferred_angles, subject_boxes

FOVY = 36.0
"""Vertical field of view in degrees that the scene is framed for, a common one of browser cameras."""

ASPECT = 4.0 / 3.0
"""Columns of the picture by its rows."""


def view_words(ctx: SimContext, view: View) -> dict[str, object]:
    """``lookat`` in metres, ``distance`` in metres, ``azimuth`` and ``elevation`` in degrees, as ``sim.view`` has them.

    Args:
        ctx: A simulation.
        view: What is fixed; the rest is chosen so that everything is in the picture and nothing in the way.

    Raises:
        NotFoundError: There is no entity of the name that it tracks.
    """
    half = math.tan(math.radians(FOVY) / 2.0)
    boxes = subject_boxes(ctx, _focus(ctx, view.track))
    wish = Wish(view, *preferred_angles(ctx.model))
    viewpoint = find_viewpoint(boxes, Sight(ctx.model, ctx.data, boxes), wish, (half * ASPECT, half)).rounded()
    return {
        "lookat": list(viewpoint.lookat),
        "distance": viewpoint.distance,
        "azimuth": viewpoint.azimuth,
        "elevation": viewpoint.elevation,
    }


def _focus(ctx: SimContext, track: str | None) -> tuple[str, ...]:
    """The entity that a view tracks; none while it is absent."""
    entity = ctx.entities.get(track) if track is not None else None
    if track is None or (entity is not None and not ctx.entities.is_present(entity)):
        return ()
    return (find_entity(ctx, track, "sim.view.track").name,)
