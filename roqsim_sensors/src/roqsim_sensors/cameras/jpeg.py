"""Pictures as JPEG files."""

from __future__ import annotations

import io

import numpy as np


def encode_jpeg(picture: np.ndarray, quality: int) -> bytes:
    """The content of a JPEG file.

    Args:
        picture: ``(h, w, 3)`` uint8 RGB, contiguous.
        quality: 1 (small) to 95 (good).
    """
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(picture).save(file, format="JPEG", quality=quality)
    return file.getvalue()
