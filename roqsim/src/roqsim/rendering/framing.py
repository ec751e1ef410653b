"""Finding a place for the camera: everything in the picture, nothing in the way, from a pleasant side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roqsim.config.sim import View
from roqsim.rendering.bounds import Boxes
from roqsim.rendering.sight import Sight
from roqsim.rendering.viewpoint import Viewpoint, axes_of

FILL = 0.86
"""The part of the picture's width or height that the subject takes."""

CLEARANCE = 0.7
"""The least room between the camera and the subject, in depths of the subject: closer, its near end would loom."""

GOOD_SIGHT = 0.9
"""The share of the subject in sight that ends the search."""

TURNS = (0.0, 25.0, -25.0, 50.0, -50.0, 80.0, -80.0, 115.0, -115.0, 150.0, -150.0, 180.0)
"""Degrees by which the azimuth may differ from the wanted one, in the order of trial."""

TILTS = (0.0, -12.0, -24.0, -36.0)
"""Degrees by which the elevation may differ from the wanted one."""

STEEPEST = -85.0
"""The steepest elevation in degrees that is chosen for somebody."""

APPROACHES = (1.0, 0.75, 0.55, 0.4, 0.3, 0.2)
"""Shares of the distance: closer ones crop the subject, where walls leave no room for all of it."""

TURN_COST, TILT_COST, APPROACH_COST = 0.05 / 25.0, 0.05 / 12.0, 0.5
"""What a degree of turn and tilt and a full approach cost, in shares of the subject in sight."""


@dataclass(frozen=True)
class Wish:
    """What is fixed of a viewpoint, and how the rest is chosen.

    Attributes:
        view: Its fields that are not None are fixed.
        azimuth: Where the search begins, in degrees.
        elevation: Where the search begins, in degrees.
    """

    view: View
    azimuth: float
    elevation: float

    def directions(self) -> Iterator[tuple[float, float, float]]:
        """Azimuth, elevation and cost, the wanted ones first."""
        view = self.view
        for tilt in TILTS if view.elevation is None else (0.0,):
            elevation = view.elevation if view.elevation is not None else max(self.elevation + tilt, STEEPEST)
            for turn in TURNS if view.azimuth is None else (0.0,):
                azimuth = view.azimuth if view.azimuth is not None else (self.azimuth + turn) % 360.0
                yield azimuth, elevation, abs(turn) * TURN_COST + abs(tilt) * TILT_COST


def fit(
    corners: np.ndarray, azimuth: float, elevation: float, slopes: tuple[float, float], fill: float = FILL
) -> Viewpoint:
    """The closest viewpoint of a direction that has all points in the picture, with the same room on either side.

    It keeps the clearance from the nearest point.

    A point p is within the right edge of a camera at e where ``r (p - e) <= s f (p - e)`` with the axes r to the
    right and f forward and the edge's slope s, and so on for the other edges: four half-spaces for e, whose
    intersection is farthest forward at its tip.

    Args:
        corners: ``(n, 3)`` points in metres in the world.
        azimuth: Direction of view in degrees; see ``axes_of``.
        elevation: Direction of view in degrees.
        slopes: Half width and half height of the picture at a distance of one metre.
        fill: The part of the picture that the points may take.
    """
    axes = axes_of(azimuth, elevation)
    points = corners.reshape(-1, 3) @ axes.T
    eye = np.empty(3)
    tips = []
    for axis, slope in enumerate(slopes):
        s = slope * fill
        far_side = np.min(s * points[:, 2] - points[:, axis])
        near_side = np.min(s * points[:, 2] + points[:, axis])
        eye[axis] = (near_side - far_side) / 2.0
        tips.append((far_side + near_side) / (2.0 * s))
    nearest, farthest = points[:, 2].min(), points[:, 2].max()
    eye[2] = min(*tips, nearest - CLEARANCE * (farthest - nearest))
    middle = (nearest + farthest) / 2.0
    distance = max(float(middle - eye[2]), 1e-6)
    lookat = axes.T @ (eye + [0.0, 0.0, distance])
    return Viewpoint(tuple(lookat.tolist()), distance, azimuth, elevation)


def distance_for(
    corners: np.ndarray, lookat: np.ndarray, axes: np.ndarray, slopes: tuple[float, float], fill: float = FILL
) -> float:
    """The least distance in metres at which a camera that looks at a point has all corners in the picture."""
    points = (corners.reshape(-1, 3) - lookat) @ axes.T
    needed = np.abs(points[:, :2]) / (np.asarray(slopes) * fill) - points[:, 2:]
    return max(float(needed.max()), 1e-6)


def find_viewpoint(boxes: Boxes, sight: Sight, wish: Wish, slopes: tuple[float, float]) -> Viewpoint:
    """The best viewpoint that a wish leaves open.

    Args:
        boxes: The subject of the picture; at least one.
        sight: What can be seen of it.
        wish: What is fixed.
        slopes: See ``fit``.
    """
    best, best_score = None, -np.inf
    approaches = APPROACHES if wish.view.distance is None else (1.0,)
    for approach in approaches:
        for azimuth, elevation, cost in wish.directions():
            viewpoint = _along(boxes, wish.view, azimuth, elevation, slopes, approach)
            seen = sight.share_seen_from(viewpoint.eye)
            score = seen - cost - (1.0 - approach) * APPROACH_COST
            if score > best_score:
                best, best_score = viewpoint, score
            if seen >= GOOD_SIGHT and cost == 0.0 and approach == 1.0:
                return viewpoint
        if best_score >= GOOD_SIGHT / 2.0:
            break
    return best


def _along(
    boxes: Boxes, view: View, azimuth: float, elevation: float, slopes: tuple[float, float], approach: float
) -> Viewpoint:
    if view.lookat is None:
        viewpoint = fit(boxes.corners, azimuth, elevation, slopes)
    else:
        axes = axes_of(azimuth, elevation)
        distance = distance_for(boxes.corners, np.asarray(view.lookat), axes, slopes)
        viewpoint = Viewpoint(view.lookat, distance, azimuth, elevation)
    distance = viewpoint.distance * approach if view.distance is None else view.distance
    return Viewpoint(viewpoint.lookat, distance, azimuth, elevation)
