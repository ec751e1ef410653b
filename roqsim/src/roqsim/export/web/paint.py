"""Colours and textures, as a browser is told them: a list of materials, and pictures that are already tinted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from roqsim.rendering.bounds import DEFAULT_RGBA

ROLES = (int(mujoco.mjtTextureRole.mjTEXROLE_RGB), int(mujoco.mjtTextureRole.mjTEXROLE_RGBA))
"""The textures of a material that give its colour."""

FACES = 6
"""The squares of a cube texture, one below the other."""

WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Paint:
    """How a thing looks.

    Attributes:
        rgba: Its colour, with the texture's tint in it; 0 to 1.
        texture: The id of its texture in the model, or -1.
        repeat: How often the texture is repeated along its two axes: over the thing, or per metre.
        per_metre: Which of the two.
    """

    rgba: tuple[float, float, float, float]
    texture: int = -1
    repeat: tuple[float, float] = (1.0, 1.0)
    per_metre: bool = False


def paint_of(model: mujoco.MjModel, rgba: np.ndarray, material: int) -> Paint:
    """What a geom, skin or flex looks like; its own colour wins over its material's unless it is MuJoCo's default.

    Args:
        model: The compiled model.
        rgba: ``(4,)`` its own colour.
        material: The id of its material, or -1.
    """
    own = tuple(float(value) for value in rgba)
    if material < 0:
        return Paint(own)
    is_default = tuple(np.float32(DEFAULT_RGBA).tolist()) == own
    colour = tuple(model.mat_rgba[material].tolist()) if is_default else own
    texture = next((int(each) for each in model.mat_texid[material, list(ROLES)] if each >= 0), -1)
    if texture < 0 or int(model.tex_type[texture]) == int(mujoco.mjtTexture.mjTEXTURE_SKYBOX):
        return Paint(colour)
    repeat = tuple(model.mat_texrepeat[material].tolist())
    return Paint(colour, texture, repeat, bool(model.mat_texuniform[material]))


@dataclass
class Palette:
    """The materials and textures of a scene.

    Attributes:
        model: The compiled model.
        folder: Where the pictures are written.
        largest: The most columns or rows that a picture may have; larger ones are made smaller.
        materials: As the scene lists them.
        textures: As the scene lists them.
    """

    model: mujoco.MjModel
    folder: Path
    largest: int
    materials: list[dict[str, object]] = field(default_factory=list)
    textures: list[dict[str, object]] = field(default_factory=list)
    _known: dict[object, int] = field(default_factory=dict)

    def material(self, paint: Paint) -> int:
        """The row of a textured paint among the materials; -1 for a plain one, whose colour the geom states."""
        if paint.texture < 0:
            return -1
        return self._row(self.materials, paint, lambda: self._describe(paint))

    def _describe(self, paint: Paint) -> dict[str, object]:
        tint = paint.rgba[:3]
        number = self._row(self.textures, (paint.texture, tint), lambda: self._draw(paint.texture, tint))
        return {
            "rgba": list(paint.rgba),
            "texture": number,
            "texrepeat": list(paint.repeat),
            "texuniform": paint.per_metre,
        }

    def _draw(self, texture: int, tint: tuple[float, float, float]) -> dict[str, object]:
        from PIL import Image

        pixels = pixels_of(self.model, texture)
        if tint != WHITE:
            pixels = pixels.copy()
            pixels[..., :3] = np.rint(pixels[..., :3] * np.array(tint)).astype(np.uint8)
        picture = Image.fromarray(np.ascontiguousarray(pixels))
        picture.thumbnail((self.largest, self.largest), Image.Resampling.LANCZOS)
        name = f"texture_{len(self.textures)}.png"
        picture.save(self.folder / name, optimize=True)
        return {"file": name}

    def _row(self, rows: list[dict[str, object]], key: object, make: Callable[[], dict[str, object]]) -> int:
        if key not in self._known:
            made = make()
            self._known[key] = len(rows)
            rows.append(made)
        return self._known[key]


def pixels_of(model: mujoco.MjModel, texture: int) -> np.ndarray:
    """``(h, w, 3 or 4)`` uint8 pixels of a texture; of a cube's its first face.

    Args:
        model: The compiled model.
        texture: The texture's id.
    """
    height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
    channels = int(model.tex_nchannel[texture])
    start = int(model.tex_adr[texture])
    pixels = model.tex_data[start : start + height * width * channels].reshape(height, width, channels)
    if int(model.tex_type[texture]) == int(mujoco.mjtTexture.mjTEXTURE_CUBE) and height == FACES * width:
        pixels = pixels[:width]
    return pixels if channels >= 3 else np.repeat(pixels[..., :1], 3, axis=2)
