"""What the tests of the exports share: recorded runs, and a browser's way of reading a scene and a capture."""

from __future__ import annotations

import json

import numpy as np
import pytest
from roqsim.mj.poses import compose, inverse, to_matrix
from roqsim.recording.recorder import record

SHAPES = {"plane", "sphere", "ellipsoid", "capsule", "cylinder", "box", "mesh"}


@pytest.fixture
def run(world, tmp_path, write):
    """Records a world: ``run(document, seconds, then=…)`` gives the file; ``then`` is a list of times and commands."""
    count = iter(range(100))

    def record_world(document, seconds, *, then=(), fps=25.0, suffix=".mcap", **options):
        folder = tmp_path / f"run{next(count)}"
        folder.mkdir()
        engine = world(document, reset=False, **options)
        record(engine, folder / f"run{suffix}", fps)
        engine.reset()
        for time, command in then:
            engine.advance(round(time / engine.ctx.dt) - engine.ctx.tick)
            engine.ctx.post(command)
        engine.advance(round(seconds / engine.ctx.dt) - engine.ctx.tick)
        engine.shutdown()
        return folder / f"run{suffix}"

    return record_world


class Scene:
    """Reads ``scene.json`` as a browser does, and says where bodies are: forward kinematics by itself."""

    def __init__(self, folder):
        self.document = json.loads((folder / "scene.json").read_text())
        self.binary = (folder / "scene.bin").read_bytes()
        self.folder = folder
        self._check()
        self.names = [body["name"] for body in self.document["bodies"]]
        self.values = dict(self.document["initialJoints"])
        self.placed = {}

    def array(self, told, dtype):
        dtype = np.dtype(dtype)
        assert told["off"] % 4 == 0
        assert told["off"] + told["count"] * dtype.itemsize <= len(self.binary)
        return np.frombuffer(self.binary, dtype, told["count"], told["off"])

    def _check(self):
        document = self.document
        bodies = document["bodies"]
        assert document["up"] == "z"
        assert all(0 <= body["parent"] < index for index, body in enumerate(bodies[1:], 1))
        assert all(body["name"] for body in bodies)
        assert len({body["name"] for body in bodies}) == len(bodies)
        joints = document["joints"]
        assert len({joint["name"] for joint in joints}) == len(joints)
        assert set(document["initialJoints"]) == {joint["name"] for joint in joints}
        assert all((self.folder / texture["file"]).is_file() for texture in document["textures"])
        for geom in document["geoms"]:
            assert geom["type"] in SHAPES
            assert 0 <= geom["body"] < len(bodies)
            assert len(geom["pos"]) == 3 and len(geom["quat"]) == 4 and len(geom["rgba"]) == 4
            assert -1 <= geom["matid"] < len(document["materials"])
            assert (geom["type"] == "mesh") == ("mesh" in geom)
        for mesh in document["meshes"]:
            vertices, triangles = self.array(mesh["vert"], "<f4"), self.array(mesh["index"], "<u4")
            assert np.isfinite(vertices).all()
            assert len(vertices) % 3 == 0 and len(triangles) % 3 == 0
            assert triangles.max() < len(vertices) // 3
            assert "uv" not in mesh or 3 * mesh["uv"]["count"] == 2 * mesh["vert"]["count"]
        assert set(document["view"]) == {"lookat", "distance", "azimuth", "elevation"}

    def pose(self, name):
        """``X_WB`` of a body, by the joints' values and the poses that were put in place."""
        index = self.names.index(name)
        if name in self.placed:
            return self.placed[name]
        body = self.document["bodies"][index]
        pose = (tuple(body["pos"]), tuple(body["quat"]))
        for joint in self.document["joints"]:
            if joint["body"] == index:
                pose = compose(pose, self._motion(joint))
        return pose if index == 0 else compose(self.pose(self.names[body["parent"]]), pose)

    def _motion(self, joint):
        axis, value = np.array(joint["axis"]), self.values[joint["name"]]
        axis = axis / np.linalg.norm(axis)
        if joint["type"] == "slide":
            return tuple((axis * value).tolist()), (1.0, 0.0, 0.0, 0.0)
        half = value / 2.0
        turn = (0.0, 0.0, 0.0), (np.cos(half), *(np.sin(half) * axis).tolist())
        anchor = tuple(joint["pos"]), (1.0, 0.0, 0.0, 0.0)
        return compose(compose(anchor, turn), inverse(anchor))

    def vertices(self, geom):
        """``(n, 3)`` the vertices of a mesh geom in the world; of a skin in the pose of its bones."""
        mesh = self.document["meshes"][geom["mesh"]]
        vertices = self.array(mesh["vert"], "<f4").reshape(-1, 3).astype(float)
        if "skin" not in geom:
            body = self.pose(self.names[geom["body"]])
            position, quaternion = compose(body, (tuple(geom["pos"]), tuple(geom["quat"])))
            return vertices @ to_matrix(quaternion).T + position
        skin = self.document["skins"][geom["skin"]]
        rows = self.array(skin["skinIndex"], "<u2").reshape(-1, 4)
        weights = self.array(skin["skinWeight"], "<f4").reshape(-1, 4)
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
        moved = np.zeros_like(vertices)
        for column, bone in enumerate(skin["bones"]):
            bind = tuple(skin["bindpos"][column]), tuple(skin["bindquat"][column])
            position, quaternion = compose(self.pose(bone), inverse(bind))
            weight = np.where(rows == column, weights, 0.0).sum(axis=1)
            moved += weight[:, None] * (vertices @ to_matrix(quaternion).T + position)
        return moved


class Capture:
    """Reads ``capture.json`` as a browser does: every rule that one refuses a file for is an assertion."""

    def __init__(self, folder):
        self.manifest = json.loads((folder / "capture.json").read_text())
        binary = (folder / "capture.bin").read_bytes()
        manifest = self.manifest
        assert manifest["format"] == "robovast.run_capture"
        assert manifest["version"] == 2
        assert isinstance(manifest["overrides"], dict)
        assert manifest["frame"] == "world"
        self.times = self._read(binary, manifest["time"])
        assert len(self.times) > 0
        assert np.all(np.diff(self.times) > 0)
        self.tracks = {}
        for track in manifest["tracks"]:
            assert track["name"]
            width = track.get("width", 1)
            assert width == {"joint": 1, "pose": 7}[track["kind"]]
            assert track["samples"] == len(self.times)
            key = (track["kind"], track["name"])
            assert key not in self.tracks
            self.tracks[key] = self._read(binary, track).reshape(-1, width)

    @staticmethod
    def _read(binary, told):
        dtype = np.dtype({"f4": "<f4", "f8": "<f8"}[told["dtype"]])
        count = told["samples"] * told.get("width", 1)
        assert told["off"] % dtype.itemsize == 0
        assert told["off"] + count * dtype.itemsize <= len(binary)
        return np.frombuffer(binary, dtype, count, told["off"])

    def names(self, kind):
        return [name for each, name in self.tracks if each == kind]

    def apply(self, scene, index):
        """Moves a scene to a sample."""
        for (kind, name), values in self.tracks.items():
            if kind == "joint":
                assert name in scene.values
                scene.values[name] = float(values[index, 0])
            else:
                assert name in scene.names
                row = values[index].astype(float).tolist()
                scene.placed[name] = (tuple(row[:3]), tuple(row[3:]))


@pytest.fixture
def read_scene():
    return Scene


@pytest.fixture
def read_capture():
    return Capture


def assert_same_pose(found, position, quaternion, tolerance=1e-5):
    np.testing.assert_allclose(found[0], position, atol=tolerance)
    difference = to_matrix(tuple(np.array(found[1]) / np.linalg.norm(found[1]))) - to_matrix(tuple(quaternion))
    assert np.abs(difference).max() < tolerance


@pytest.fixture
def same_pose():
    return assert_same_pose
