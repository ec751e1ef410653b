"""From lines on a plan to the boxes of walls, with openings for doors and windows cut out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, hypot, tan, tau

Point = tuple[float, float]
Interval = tuple[float, float]

LONGEST_MITRE = 4.0
"""How many wall thicknesses a wall may reach beyond a sharp corner."""


SQUARE = 1e-6
"""By how many radians a corner may differ from a right angle and still be one."""


@dataclass(frozen=True)
class Line:
    """The middle line of a wall.

    Attributes:
        begin: Where it begins, m.
        end: Where it ends, m.
    """

    begin: Point
    end: Point

    @property
    def length(self) -> float:
        """Its length, m."""
        return hypot(self.end[0] - self.begin[0], self.end[1] - self.begin[1])

    @property
    def yaw(self) -> float:
        """Its direction about z, rad."""
        return atan2(self.end[1] - self.begin[1], self.end[0] - self.begin[0])

    def at(self, station: float) -> Point:
        """The point after a way along it, m."""
        share = station / self.length
        return (
            self.begin[0] + share * (self.end[0] - self.begin[0]),
            self.begin[1] + share * (self.end[1] - self.begin[1]),
        )

    def nearest(self, point: Point) -> tuple[float, float]:
        """The station nearest to a point, and the distance between them, m."""
        dx, dy = self.end[0] - self.begin[0], self.end[1] - self.begin[1]
        share = ((point[0] - self.begin[0]) * dx + (point[1] - self.begin[1]) * dy) / self.length**2
        station = min(max(share, 0.0), 1.0) * self.length
        x, y = self.at(station)
        return station, hypot(point[0] - x, point[1] - y)


@dataclass(frozen=True)
class Opening:
    """A hole in a wall.

    Attributes:
        station: Its middle along the wall, m.
        width: m.
        sill: Where it begins above the ground, m.
        head: Where it ends above the ground, m.
    """

    station: float
    width: float
    sill: float
    head: float


@dataclass(frozen=True)
class WallBox:
    """A piece of a wall.

    Attributes:
        centre: m, on the plan.
        yaw: Direction of its length about z, rad.
        length: m.
        bottom: m above the ground.
        top: m above the ground.
    """

    centre: Point
    yaw: float
    length: float
    bottom: float
    top: float


def signed_area(points: Sequence[Point]) -> float:
    """The area of a polygon in m², negative where its corners go clockwise."""
    following = [*points[1:], points[0]]
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(points, following, strict=True)) / 2.0


def crossing(points: Sequence[Point]) -> tuple[int, int] | None:
    """Two edges of a polygon that meet anywhere but in the corner between neighbours, by number, or None."""
    count = len(points)
    edges = [(points[index], points[(index + 1) % count]) for index in range(count)]
    for first in range(count):
        for second in range(first + 1, count):
            is_next = second == first + 1 or (first == 0 and second == count - 1)
            if not is_next and _meet(*edges[first], *edges[second]):
                return first, second
    return None


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    one, two, three, four = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    if one == two == three == four == 0.0:
        return all(
            max(min(a[axis], b[axis]), min(c[axis], d[axis])) <= min(max(a[axis], b[axis]), max(c[axis], d[axis]))
            for axis in (0, 1)
        )
    return one * two <= 0.0 and three * four <= 0.0


def walls_around(points: Sequence[Point], thickness: float) -> list[Line]:
    """The walls around a room, on the outside of its outline, closed at the corners.

    Args:
        points: ``(n, 2)`` the corners of the inner faces, m, in either sense.
        thickness: Of the walls, m.

    Returns:
        One line an edge, in the order of the edges.
    """
    clockwise = signed_area(points) < 0.0
    corners = list(reversed(points)) if clockwise else list(points)
    count = len(corners)
    lines = []
    for index in range(count):
        before, a, b, after = (corners[(index + step) % count] for step in (-1, 0, 1, 2))
        length = hypot(b[0] - a[0], b[1] - a[1])
        ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        head, tail = _mitre(before, a, b, thickness), _tail(a, b, after, thickness)
        ox, oy = uy * thickness / 2.0, -ux * thickness / 2.0
        lines.append(
            Line((a[0] - ux * head + ox, a[1] - uy * head + oy), (b[0] + ux * tail + ox, b[1] + uy * tail + oy))
        )
    return [lines[count - 2 - index] for index in range(count)] if clockwise else lines


def _turn(a: Point, b: Point, c: Point) -> float:
    """By how much the way from ``a`` over ``b`` to ``c`` turns to the left at ``b``, rad in [0, tau)."""
    return (atan2(c[1] - b[1], c[0] - b[0]) - atan2(b[1] - a[1], b[0] - a[0])) % tau


def _tail(a: Point, b: Point, c: Point, thickness: float) -> float:
    """How far the wall from ``a`` reaches beyond ``b``.

    A square corner is left to the wall that begins there: two in one place would share a face, which flickers in
    pictures.
    """
    turn = _turn(a, b, c)
    if abs(turn - tau / 4.0) < SQUARE:
        return 0.0
    if abs(turn - tau * 0.75) < SQUARE and hypot(b[0] - a[0], b[1] - a[1]) > 2.0 * thickness:
        return -thickness
    return _mitre(a, b, c, thickness)


def _mitre(a: Point, b: Point, c: Point, thickness: float) -> float:
    """How far the walls beside corner ``b`` reach beyond it to close on the outside; nothing at an inner corner."""
    turn = _turn(a, b, c)
    if turn >= tau / 2.0:
        return 0.0
    return min(thickness * tan(turn / 2.0), LONGEST_MITRE * thickness)


def cut(line: Line, openings: Sequence[Opening], height: float) -> list[WallBox]:
    """The boxes of a wall.

    Args:
        line: Its middle line.
        openings: What is cut out of it; they do not overlap.
        height: Of the wall, m.

    Returns:
        Full pieces between the openings, and what stands under and hangs over each of them.
    """
    boxes: list[WallBox] = []
    reached = 0.0

    def add(begin: float, end: float, bottom: float, top: float) -> None:
        if end - begin > 1e-9 and top - bottom > 1e-9:
            boxes.append(WallBox(line.at((begin + end) / 2.0), line.yaw, end - begin, bottom, top))

    for opening in sorted(openings, key=lambda opening: opening.station):
        begin = max(opening.station - opening.width / 2.0, 0.0)
        end = min(opening.station + opening.width / 2.0, line.length)
        add(reached, begin, 0.0, height)
        add(begin, end, 0.0, min(opening.sill, height))
        add(begin, end, min(opening.head, height), height)
        reached = end
    add(reached, line.length, 0.0, height)
    return boxes
