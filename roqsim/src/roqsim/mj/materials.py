"""Materials that several copies of a model bring: the first copy's serve all of them.

MuJoCo merges equal meshes and textures before it compiles, but leaves materials apart, and with them every mesh that
names one. Deleting them from a whole world takes minutes where there are many, so a copy loses its own before it is
attached.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import mujoco

USERS = "geoms sites meshes skins tendons flexes".split()
"""The lists of a spec whose elements name a material."""

NUMBERS = "emission metallic reflectance rgba roughness shininess specular texrepeat texuniform".split()
"""What a material is, beside its textures."""

PICTURE = "type colorspace file content_type gridsize gridlayout nchannel hflip vflip".split()
"""What a texture from a file is."""

Key = tuple[object, ...]


class SharedMaterials:
    """The materials that the models attached so far have brought.

    A material is shared where all its textures are pictures from files or where a mesh names it. A plain colour stays
    apart, so that what changes the colour of one copy while it runs changes no other.
    """

    def __init__(self) -> None:
        self._names: dict[Key, str] = {}

    def leave_out(self, child: mujoco.MjSpec, prefix: str) -> list[tuple[object, str]]:
        """Takes those materials out of a model that an earlier one has brought, and remembers the others.

        Args:
            child: The model, before it is attached; its file references are absolute.
            prefix: What it will be attached under.

        Returns:
            The elements that named them, and the material that each of them is to be given after the attach.
        """
        of_meshes = {mesh.material for mesh in child.meshes}
        merged: dict[str, str] = {}
        for material in list(child.materials):
            key = _key(child, material, material.name in of_meshes)
            if key is None:
                continue
            known = self._names.setdefault(key, prefix + material.name)
            if known != prefix + material.name:
                merged[material.name] = known
                child.delete(material)
        return _release(child, merged) if merged else []


def _key(spec: mujoco.MjSpec, material: object, is_shared: bool) -> Key | None:
    """What tells a material from others, or None for one that is not shared."""
    textures = []
    for name in material.textures:
        texture = spec.texture(name) if name else None
        if texture is not None and not (os.path.isabs(texture.file) and not any(texture.cubefiles)):
            return None
        textures.append(_values(texture, PICTURE) if texture is not None else name)
    if not is_shared and not any(textures):
        return None
    return (*textures, *_values(material, NUMBERS))


def _values(element: object, attributes: list[str]) -> Key:
    """Attributes as values that compare and hash by what they hold; MuJoCo's own lists do neither."""
    values = (getattr(element, attribute) for attribute in attributes)
    return tuple(
        value if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value) for value in values
    )


def _release(child: mujoco.MjSpec, merged: dict[str, str]) -> list[tuple[object, str]]:
    """Takes the names of materials that are gone from what has them: an attach would put a prefix before them."""
    users = [
        (element, merged[element.material])
        for group in USERS
        for element in getattr(child, group)
        if element.material in merged
    ]
    for element, _ in users:
        element.material = ""
    return users
