"""A small square picture of a model, for catalogues."""

from __future__ import annotations

from pathlib import Path

from roqsim.drivers.pictures.order import Order
from roqsim.drivers.pictures.picture import render
from roqsim.drivers.pictures.subject import load_model
from roqsim.errors import ConfigError
from roqsim.rendering.stills import FORMATS

EDGE = 512
"""Columns and rows."""


def make_thumbnail(ref: str, path: Path) -> dict[str, object]:
    """Writes a picture of a model on the studio's floor.

    Args:
        ref: As for ``roqsim.models.resolve_model``.
        path: A .png or .jpg file.

    Returns:
        The reply of ``roqsim.drivers.pictures.picture.render``.

    Raises:
        ConfigError: The file can not be written, or is to be no still.
        NotFoundError: There is no such model.
        GLError: Nothing can be drawn here.
    """
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(f"--thumbnail: expected a file that ends in {', '.join(FORMATS)}, got {str(path)!r}")
    order = Order(path, size=(EDGE, EDGE))
    order.check()
    return render(load_model(ref), order)
