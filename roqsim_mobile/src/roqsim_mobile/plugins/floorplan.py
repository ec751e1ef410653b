"""A floor plan: walls from an outline, from single lines, or from an occupancy map, with its own ground and light."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin
from pathlib import Path

import mujoco
import numpy as np
from roqsim.config.nodes import Node
from roqsim.config.schema import need, opt, read_value
from roqsim.context import SimContext
from roqsim.errors import BuildError, ConfigError, Problem
from roqsim.mj.scenery import add_checker_floor, add_daylight, add_lamp, add_sky
from roqsim.plugin import Plugin

from roqsim_mobile.occupancy import OccupancyMap, load_map, read_map, rectangles
from roqsim_mobile.outline import Line, Opening, WallBox, crossing, cut, walls_around

Point = tuple[float, float]
Colour = tuple[float, float, float]

MARGIN = 2.0
"""How far the ground is drawn beyond the outermost wall, m."""

LEAST_GROUND = 10.0
"""Half of the ground's edge where there are no walls, m."""

MOST_BOXES = 20_000
"""How many boxes a map may become; more are the speckles of a map that was not cleaned."""

REACH = 0.5
"""How far an opening's place may lie from its wall, m."""


@dataclass(frozen=True)
class Polygons:
    """One outline or several.

    Attributes:
        polygons: The corners of each, m.
    """

    polygons: tuple[tuple[Point, ...], ...] = ()

    expected = "a list of corners [x, y], or a list of such lists"

    @classmethod
    def from_node(cls, node: Node, where: str) -> Polygons:
        """Reads ``[[x, y], …]`` or ``[[[x, y], …], …]``.

        Raises:
            ConfigError: For anything else, for fewer than three corners, and for an outline that crosses itself.
        """
        first = node.value[0].value if node.is_sequence and node.value else None
        is_nested = isinstance(first, list) and bool(first) and isinstance(first[0].value, list)
        kind = tuple[tuple[Point, ...], ...] if is_nested else tuple[Point, ...]
        value = read_value(kind, node, where)
        polygons = value if is_nested else (value,)
        for index, polygon in enumerate(polygons):
            place = f"{where}[{index}]" if is_nested else where
            _check_polygon(polygon, place, node)
        return cls(tuple(polygons))

    @staticmethod
    def json_schema() -> dict[str, object]:
        """The JSON Schema of what ``from_node`` reads."""
        number = {"type": "number"}
        corner = {"type": "array", "prefixItems": [number, number], "minItems": 2, "maxItems": 2}
        outline = {"type": "array", "items": corner, "minItems": 3}
        return {"anyOf": [outline, {"type": "array", "items": outline}]}


def _check_polygon(polygon: tuple[Point, ...], where: str, node: Node) -> None:
    def refuse(expected: str, got: str, hint: str) -> ConfigError:
        return ConfigError(Problem(where, expected, got, node.origin, hint))

    if len(polygon) < 3:
        raise refuse("three corners or more", str(len(polygon)), "an outline closes by itself")
    for index, corner in enumerate(polygon):
        if corner == polygon[index - 1]:
            raise refuse(
                "corners that differ from their neighbours", f"{list(corner)} twice", "an outline closes by itself"
            )
    edges = crossing(polygon)
    if edges is not None:
        raise refuse(
            "an outline that does not cross itself",
            f"edges {edges[0]} and {edges[1]} that meet",
            "put the corners in order",
        )


@dataclass(frozen=True, kw_only=True)
class OpeningConfig:
    """A door or a window."""

    at: Point = need(unit="m")
    """Place near the middle of the opening; the nearest wall is cut."""
    width: float = opt(0.9, gt=0, unit="m")
    """Width along the wall."""
    height: float = opt(2.1, gt=0, unit="m")
    """Height of its upper edge above the ground."""
    sill: float = opt(0.0, ge=0, unit="m")
    """Height of its lower edge above the ground; above zero it is a window."""

    def __post_init__(self) -> None:
        if self.sill >= self.height:
            raise ValueError(f"sill: expected a height < {self.height:g} m, the upper edge, got {self.sill!r}")


@dataclass(frozen=True, kw_only=True)
class FloorplanConfig:
    """Walls, ground and light."""

    outline: Polygons = opt(Polygons())
    """Inner faces of the outer walls: corners [x, y], or a list of such outlines; the walls stand outside."""
    walls: tuple[tuple[float, float, float, float], ...] = opt((), unit="m")
    """Inner walls by their middle lines: [x1, y1, x2, y2]."""
    openings: tuple[OpeningConfig, ...] = opt(())
    """Doors and windows in outline and walls."""
    map: str | None = opt(None)
    """Occupancy map: the YAML file of a ROS map, relative to the world file."""
    wall_height: float = opt(2.5, gt=0, unit="m")
    """Height of every wall."""
    wall_thickness: float = opt(0.1, gt=0, unit="m")
    """Thickness of the walls of outline and lines."""
    wall_color: Colour = opt((0.93, 0.90, 0.84), ge=0, le=1)
    """Colour of the walls: red, green, blue."""
    floor_colors: tuple[Colour, Colour] = opt(((0.80, 0.81, 0.80), (0.70, 0.72, 0.72)), ge=0, le=1)
    """Colours of the floor's checker."""
    floor_tile: float = opt(0.5, gt=0, unit="m")
    """Edge of one field of the checker."""
    light: bool = opt(True)
    """Whether a lamp shines from above."""


class Floorplan(Plugin):
    """Builds walls that rays see and robots hit, a ground named ``floor``, and light."""

    Config = FloorplanConfig
    provides_world = True

    def _map_path(self) -> Path | None:
        return None if self.config.map is None else self.base_dir / Path(self.config.map).expanduser()

    def sources(self) -> list[Path]:
        """The map file and its picture."""
        path = self._map_path()
        if path is None:
            return []
        if not path.is_file():
            return [path]
        return [path, read_map(path, f"{self.address}.map")[1]]

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds walls, ground and light."""
        config = self.config
        lines = self._lines()
        boxes = self._cut(lines)
        material = spec.add_material(name="wall", rgba=[*config.wall_color, 1.0], specular=0.1, shininess=0.1)
        corners: list[Point] = []
        for name, box in boxes:
            _add_wall(spec, name, box, config.wall_thickness, material.name)
            corners += _ends(box)
        path = self._map_path()
        if path is not None:
            corners += self._add_map(spec, load_map(path, f"{self.address}.map"), material.name)
        _add_ground(spec, corners, config)
        _add_sky_and_light(spec, config.light, config.wall_height)

    def _lines(self) -> list[tuple[str, Line]]:
        config, lines = self.config, []
        for index, polygon in enumerate(config.outline.polygons):
            room = f"wall_{index}_" if len(config.outline.polygons) > 1 else "wall_"
            around = walls_around(polygon, config.wall_thickness)
            lines += [(f"{room}{edge}", line) for edge, line in enumerate(around)]
        for index, (x1, y1, x2, y2) in enumerate(config.walls):
            line = Line((x1, y1), (x2, y2))
            if line.length == 0.0:
                raise BuildError(
                    f"{self.address}.walls[{index}]: expected a wall with a length, got {[x1, y1, x2, y2]}"
                )
            lines.append((f"inner_wall_{index}", line))
        return lines

    def _cut(self, lines: list[tuple[str, Line]]) -> list[tuple[str, WallBox]]:
        openings: dict[str, list[Opening]] = {name: [] for name, _ in lines}
        for index, hole in enumerate(self.config.openings):
            where = f"{self.address}.openings[{index}]"
            distances = [(line.nearest(hole.at)[1], name, line) for name, line in lines]
            if not distances or min(distances)[0] > REACH:
                raise BuildError(f"{where}.at: expected a place within {REACH:g} m of a wall, got {list(hole.at)}")
            _, name, line = min(distances, key=lambda each: each[0])
            opening = Opening(line.nearest(hole.at)[0], hole.width, hole.sill, hole.height)
            for other in openings[name]:
                if abs(other.station - opening.station) < (other.width + opening.width) / 2.0:
                    raise BuildError(
                        f"{where}: expected openings that do not overlap, got another one in {name!r} beside it"
                    )
            openings[name].append(opening)
        pieces = []
        for name, line in lines:
            boxes = cut(line, openings[name], self.config.wall_height)
            names = [name] if len(boxes) == 1 else [f"{name}_{part}" for part in range(len(boxes))]
            pieces += zip(names, boxes, strict=True)
        return pieces

    def _add_map(self, spec: mujoco.MjSpec, plan: OccupancyMap, material: str) -> list[Point]:
        height, edge = self.config.wall_height, plan.resolution
        x0, y0, yaw = plan.origin
        c, s = cos(yaw), sin(yaw)
        found = rectangles(plan.occupied)
        if len(found) > MOST_BOXES:
            raise BuildError(
                f"{self.address}.map: expected at most {MOST_BOXES} boxes, got {len(found)}; clean the map of speckles"
            )
        corners = []
        for index, (row, column, rows, columns) in enumerate(found):
            u, v = (column + columns / 2.0) * edge, (row + rows / 2.0) * edge
            centre = (x0 + c * u - s * v, y0 + s * u + c * v)
            box = WallBox(centre, yaw, columns * edge, 0.0, height)
            _add_wall(spec, f"map_{index}", box, rows * edge, material)
            corners += _ends(box)
        return corners


def _ends(box: WallBox) -> list[Point]:
    dx, dy = cos(box.yaw) * box.length / 2.0, sin(box.yaw) * box.length / 2.0
    return [(box.centre[0] - dx, box.centre[1] - dy), (box.centre[0] + dx, box.centre[1] + dy)]


def _add_wall(spec: mujoco.MjSpec, name: str, box: WallBox, thickness: float, material: str) -> None:
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[*box.centre, (box.bottom + box.top) / 2.0],
        quat=[cos(box.yaw / 2.0), 0.0, 0.0, sin(box.yaw / 2.0)],
        size=[box.length / 2.0, thickness / 2.0, (box.top - box.bottom) / 2.0],
        material=material,
    )


def _add_ground(spec: mujoco.MjSpec, corners: list[Point], config: FloorplanConfig) -> None:
    """The ground reaches beyond all walls for eyes and rays; for contacts it has no end."""
    low = np.min(corners, axis=0) - MARGIN if corners else np.full(2, -LEAST_GROUND)
    high = np.max(corners, axis=0) + MARGIN if corners else np.full(2, LEAST_GROUND)
    centre, half = (low + high) / 2.0, (high - low) / 2.0
    add_checker_floor(spec, config.floor_colors, config.floor_tile, tuple(half.tolist()), tuple(centre.tolist()))
    # The extent of MuJoCo's shadows: the ground around the walls included, where they would end in speckles.
    spec.stat.center = [*centre.tolist(), 0.5]
    spec.stat.extent = float(np.max(high - low))


def _add_sky_and_light(spec: mujoco.MjSpec, lamp: bool, height: float) -> None:
    add_sky(spec, (0.62, 0.74, 0.86), (0.93, 0.95, 0.97))
    add_daylight(spec)
    if lamp:
        add_lamp(spec, "lamp", height + 1.0, (0.25, 0.15, -1.0))
