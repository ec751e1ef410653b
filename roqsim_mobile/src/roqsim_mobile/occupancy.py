"""Occupancy maps as ROS's map_server writes them: a picture, and a file that says what its pixels mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from roqsim.config.angle import ORIENTATION, radians_hint
from roqsim.config.nodes import load_file
from roqsim.config.schema import need, opt, read
from roqsim.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class MapConfig:
    """A map file's keys (map_server, REP-103's axes)."""

    image: str = need()
    """Picture, relative to the map file."""
    resolution: float = need(gt=0, unit="m")
    """Edge of a pixel."""
    origin: tuple[float, float, float] = need()
    """Pose of the lower left corner: x and y in m, yaw in rad."""
    occupied_thresh: float = opt(0.65, ge=0, le=1)
    """Occupancy above which a pixel is a wall."""
    free_thresh: float = opt(0.196, ge=0, le=1)
    """Occupancy below which a pixel is free; between the two it is unknown, and taken for free."""
    negate: Literal[0, 1] | bool = opt(0)
    """Whether bright pixels are the occupied ones."""
    mode: Literal["trinary", "scale", "raw"] = opt("trinary")
    """How map_server publishes it; only `raw` changes what a wall is: values from occupied_thresh percent on."""

    def __post_init__(self) -> None:
        yaw = self.origin[2]
        if not ORIENTATION.allows(yaw):
            hint = radians_hint(yaw, ORIENTATION)
            rule = f"origin: expected a yaw {ORIENTATION.bounds} (rad) as third number, got {yaw!r}"
            raise ValueError(f"{rule}; {hint}" if hint else rule)


@dataclass(frozen=True)
class OccupancyMap:
    """A map that was read.

    Attributes:
        occupied: ``(rows, columns)`` bool, row 0 at the lowest y.
        resolution: Edge of a cell, m.
        origin: Pose of the lower left corner: x and y in m, yaw in rad.
    """

    occupied: np.ndarray
    resolution: float
    origin: tuple[float, float, float]


def read_map(path: Path, where: str) -> tuple[MapConfig, Path]:
    """Reads a map file.

    Args:
        path: The YAML file.
        where: Whose configuration names it; errors begin with it.

    Returns:
        What it says, and the path of its picture.

    Raises:
        ConfigError: If it is missing or wrong.
    """
    config = read(MapConfig, load_file(path), f"{where} ({path.name})")
    return config, path.parent / config.image


def load_map(path: Path, where: str) -> OccupancyMap:
    """Reads a map and its picture.

    Raises:
        ConfigError: If one of them is missing or can't be read.
    """
    config, picture = read_map(path, where)
    pixels = _read_picture(picture, where)
    if config.mode == "raw":
        occupied = (pixels >= 100.0 * config.occupied_thresh) & (pixels <= 100.0)
    else:
        share = pixels / 255.0
        occupied = (share if config.negate else 1.0 - share) > config.occupied_thresh
    return OccupancyMap(np.ascontiguousarray(occupied[::-1]), config.resolution, config.origin)


def _read_picture(path: Path, where: str) -> np.ndarray:
    """``(rows, columns)`` grey values from 0 to 255, transparent pixels white, row 0 at the top."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as picture:
            if "A" in picture.getbands():
                backdrop = Image.new("RGBA", picture.size, "white")
                picture = Image.alpha_composite(backdrop, picture.convert("RGBA"))
            return np.asarray(picture.convert("L"), dtype=float)
    except FileNotFoundError:
        raise ConfigError(f"{where}.image: expected a file, got {str(path)!r}, which does not exist") from None
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise ConfigError(f"{where}.image: expected a PGM or PNG picture, got {str(path)!r}: {error}") from None


def rectangles(occupied: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Covers the true cells exactly, each once, with few rectangles.

    Args:
        occupied: ``(rows, columns)`` bool.

    Returns:
        ``(first row, first column, rows, columns)`` each.
    """
    flat, upright = _strips(occupied), _strips(occupied.T)
    if len(flat) <= len(upright):
        return flat
    return [(row, column, rows, columns) for column, row, columns, rows in upright]


def _strips(occupied: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Rows' runs, grown downwards for as long as the next row goes on with the same run."""
    done: list[tuple[int, int, int, int]] = []
    growing: dict[tuple[int, int], int] = {}
    for row in range(occupied.shape[0] + 1):
        runs = _runs(occupied[row]) if row < occupied.shape[0] else []
        ended = set(growing) - set(runs)
        done += [(growing[run], run[0], row - growing[run], run[1] - run[0]) for run in sorted(ended)]
        growing = {run: growing.get(run, row) for run in runs}
    return done


def _runs(cells: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end of each run of true cells."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], cells, [False])).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
