"""Printed markers that a camera finds: the pattern by OpenCV, the plate that it is printed on as a MuJoCo model.

OpenCV (the package ``opencv-python-headless``, extra ``fiducial``) knows the codes of AprilTag and ArUco, and its
detector finds them again. The marker's frame is the one that OpenCV's pose estimation gives: the origin in the middle
of the printed face, x to the right and y up as one looks at it, z out of the face.
"""

from __future__ import annotations

from types import ModuleType
from typing import Literal

import mujoco
import numpy as np
from roqsim.errors import RoqsimError

Family = Literal[
    "apriltag_16h5",
    "apriltag_25h9",
    "apriltag_36h10",
    "apriltag_36h11",
    "aruco_4x4_50",
    "aruco_4x4_100",
    "aruco_4x4_250",
    "aruco_4x4_1000",
    "aruco_5x5_50",
    "aruco_5x5_100",
    "aruco_5x5_250",
    "aruco_5x5_1000",
    "aruco_6x6_50",
    "aruco_6x6_100",
    "aruco_6x6_250",
    "aruco_6x6_1000",
    "aruco_7x7_50",
    "aruco_7x7_100",
    "aruco_7x7_250",
    "aruco_7x7_1000",
    "aruco_mip_36h12",
    "aruco_original",
]
"""The families of markers."""

DICTIONARIES: dict[str, str] = {
    "apriltag_16h5": "DICT_APRILTAG_16h5",
    "apriltag_25h9": "DICT_APRILTAG_25h9",
    "apriltag_36h10": "DICT_APRILTAG_36h10",
    "apriltag_36h11": "DICT_APRILTAG_36h11",
    "aruco_4x4_50": "DICT_4X4_50",
    "aruco_4x4_100": "DICT_4X4_100",
    "aruco_4x4_250": "DICT_4X4_250",
    "aruco_4x4_1000": "DICT_4X4_1000",
    "aruco_5x5_50": "DICT_5X5_50",
    "aruco_5x5_100": "DICT_5X5_100",
    "aruco_5x5_250": "DICT_5X5_250",
    "aruco_5x5_1000": "DICT_5X5_1000",
    "aruco_6x6_50": "DICT_6X6_50",
    "aruco_6x6_100": "DICT_6X6_100",
    "aruco_6x6_250": "DICT_6X6_250",
    "aruco_6x6_1000": "DICT_6X6_1000",
    "aruco_7x7_50": "DICT_7X7_50",
    "aruco_7x7_100": "DICT_7X7_100",
    "aruco_7x7_250": "DICT_7X7_250",
    "aruco_7x7_1000": "DICT_7X7_1000",
    "aruco_mip_36h12": "DICT_ARUCO_MIP_36h12",
    "aruco_original": "DICT_ARUCO_ORIGINAL",
}
"""What OpenCV calls them."""

PIXELS = 32
"""Edge of one module in the texture, in pixels."""

WHITE = 255
PACKAGE = "opencv-python-headless"
VISUAL_GROUP, COLLISION_GROUP = 2, 3

FACES = ((0, 1, 2, 3), (7, 6, 5, 4), (4, 5, 1, 0), (5, 6, 2, 1), (6, 7, 3, 2), (7, 4, 0, 3))
"""The corners of a plate's faces, counter-clockwise from outside; the printed one is the first."""


def load_opencv() -> ModuleType:
    """OpenCV.

    Raises:
        RoqsimError: If it is not installed.
    """
    try:
        import cv2
    except ImportError:
        raise RoqsimError(
            f"expected the package {PACKAGE!r} for markers, got none; install roqsim_sensors[fiducial]"
        ) from None
    return cv2


def dictionary_of(family: str) -> object:
    """OpenCV's dictionary of a family, for its detector.

    Raises:
        RoqsimError: If OpenCV is not installed, or does not know the family.
    """
    cv2 = load_opencv()
    name = DICTIONARIES[family]
    if not hasattr(cv2.aruco, name):
        raise RoqsimError(f"expected a family that OpenCV {cv2.__version__} knows, got {family!r}")
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


def modules(family: str, number: int, border: int = 1, where: str = "") -> np.ndarray:
    """The pattern of a marker, one value a module.

    Args:
        family: One of ``Family``.
        number: The marker's id.
        border: Width of the white margin around the black square, in modules.
        where: Who names the id; an error about it begins with it.

    Returns:
        ``(n, n)`` uint8, 0 for black and 255 for white, the first row on top.

    Raises:
        RoqsimError: If the family has no such marker.
    """
    dictionary = dictionary_of(family)
    known = len(dictionary.bytesList)
    if not 0 <= number < known:
        start = f"{where}: " if where else ""
        raise RoqsimError(f"{start}expected an id from 0 to {known - 1} for {family!r}, got {number!r}")
    edge = dictionary.markerSize + 2
    inner = load_opencv().aruco.generateImageMarker(dictionary, number, edge, borderBits=1)
    return np.pad(inner, border, constant_values=WHITE)


def picture(pattern: np.ndarray) -> bytes:
    """A pattern as a PNG file with ``PIXELS`` pixels a module."""
    pixels = np.kron(pattern, np.ones((PIXELS, PIXELS), dtype=np.uint8))
    done, encoded = load_opencv().imencode(".png", np.repeat(pixels[:, :, None], 3, axis=2))
    assert done
    return encoded.tobytes()


def plate(name: str, pattern: np.ndarray, size: float, thickness: float) -> mujoco.MjSpec:
    """A plate with a pattern on its front and white everywhere else.

    Args:
        name: Of the body, its geoms and the texture.
        pattern: ``(n, n)`` as ``modules`` gives it; its outermost modules are white.
        size: Edge of the plate, white margin included, in metres.
        thickness: Of the plate behind its printed face, in metres.
    """
    spec = mujoco.MjSpec()
    spec.modelname = name
    file = f"{name}.png"
    spec.assets = {file: picture(pattern)}
    spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, file=file)
    material = spec.add_material(name=name, specular=0.0, shininess=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    half = size / 2.0
    vertices, triangles, texture = _printed_box(half, thickness, 0.5 / len(pattern))
    spec.add_mesh(name=name, uservert=vertices, userface=triangles, usertexcoord=texture)
    body = spec.worldbody.add_body(name=name)
    body.add_geom(
        name=f"{name}_print",
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=name,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0.0,
    )
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[half, half, thickness / 2.0],
        pos=[0.0, 0.0, -thickness / 2.0],
        group=COLLISION_GROUP,
    )
    return spec


def _printed_box(half: float, thickness: float, margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, triangles and texture coordinates of a box; all faces but the first take one point of the margin."""
    square = ((-half, -half), (half, -half), (half, half), (-half, half))
    corners = [(x, y, z) for z in (0.0, -thickness) for x, y in square]
    print_at = ((0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0))
    vertices, triangles, texture = [], [], []
    for number, face in enumerate(FACES):
        first = 4 * number
        vertices += [corners[corner] for corner in face]
        texture += print_at if number == 0 else [(margin, margin)] * 4
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return np.ravel(vertices), np.ravel(triangles), np.ravel(texture)
