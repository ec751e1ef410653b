"""Worlds that are built but not run."""

from __future__ import annotations

import contextlib
import struct
import zlib

import numpy as np
import pytest
from roqsim.config.world import instantiate_plugins, load_config_from_dict
from roqsim.context import SimContext
from roqsim.scene.build import build_scene


@pytest.fixture
def build(tmp_path):
    """Builds a document; returns the model, the context and the names of the phases that were timed."""

    def build_document(document, plugins=None):
        cfg = load_config_from_dict(document, tmp_path)
        ctx = SimContext(cfg.raw, cfg.base_dir)
        phases = []

        @contextlib.contextmanager
        def timer(name):
            phases.append(name)
            yield

        model = build_scene(cfg, instantiate_plugins(cfg) if plugins is None else plugins, ctx, timer)
        return model, ctx, phases

    return build_document


def obj_text(rings: int, around: int) -> str:
    """An egg of ``2 rings around`` triangles as an OBJ file."""
    theta, phi = np.linspace(0, np.pi, rings), np.linspace(0, 2 * np.pi, around, endpoint=False)
    lines = [
        f"v {0.1 * np.sin(t) * np.cos(p):.6f} {0.1 * np.sin(t) * np.sin(p):.6f} {0.15 * np.cos(t):.6f}"
        for t in theta
        for p in phi
    ]
    for i in range(rings - 1):
        for j in range(around):
            a, b = i * around + j + 1, i * around + (j + 1) % around + 1
            lines += [f"f {a} {a + around} {b}", f"f {b} {a + around} {b + around}"]
    return "\n".join(lines) + "\n"


def png_bytes(size: int) -> bytes:
    """A square picture of a colour gradient as a PNG file."""
    rows = b"".join(b"\0" + bytes((x * y) % 255 for x in range(size) for _ in range(3)) for y in range(size))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture
def make_egg(tmp_path):
    """Writes the mesh of the prop with about twice ``rings`` squared faces."""

    def make(rings):
        (tmp_path / "egg.obj").write_text(obj_text(rings, rings))

    return make


@pytest.fixture
def prop(tmp_path, make_egg):
    """The file of a prop with a mesh of some 3200 faces and a texture, both in files."""
    make_egg(40)
    (tmp_path / "egg.png").write_bytes(png_bytes(256))
    path = tmp_path / "prop.xml"
    path.write_text(
        """<mujoco><asset><texture name="t" type="2d" file="egg.png"/><material name="m" texture="t"/>
        <mesh name="egg" file="egg.obj"/></asset>
        <worldbody><body name="egg"><geom type="mesh" mesh="egg" material="m"/></body></worldbody></mujoco>"""
    )
    return path
