from __future__ import annotations

import pytest
from roqsim.config.manifest import read_manifest
from roqsim.config.pose import Pose
from roqsim.errors import ConfigError


def test_a_manifest_is_read_with_types(model):
    path = model(
        "base",
        """
        description: a base
        license: MIT
        source: its data sheet, page 3
        frame_id: laser
        assets: other
        frames:
          camera_link: {parent: base_link, pose: {position: [1, 2, 3]}}
          camera_optical: {parent: camera_link}
        """,
    )
    manifest = read_manifest(path.with_name("base.manifest.yaml"))
    assert (manifest.license, manifest.frame_id, manifest.borrowed) == ("MIT", "laser", ("other",))
    assert manifest.frames["camera_link"].pose == Pose(position=(1.0, 2.0, 3.0))
    assert manifest.frames["camera_optical"].parent == "camera_link"
    assert manifest.components is None


def test_an_edited_manifest_is_read_again(model):
    path = model("base", "frame_id: a").with_name("base.manifest.yaml")
    assert read_manifest(path) is read_manifest(path)
    path.write_text("frame_id: abc")
    assert read_manifest(path).frame_id == "abc"


def test_a_wrong_frame_is_told_exactly(model):
    path = model("base", "frames:\n  a: {pose: {position: [1]}}\n  b: {parent: 3, pse: 1}\n").with_name(
        "base.manifest.yaml"
    )
    with pytest.raises(ConfigError) as caught:
        read_manifest(path)
    assert str(caught.value).splitlines() == [
        f"base.manifest.frames.a.parent: expected text, got nothing at {path}:2; add it",
        f"base.manifest.frames.a.pose.position: expected {{x, y, z}} or a list of 3 numbers, got [1] at {path}:2",
        f"base.manifest.frames.b.parent: expected text, got 3 at {path}:3; put quotes around it",
        f"base.manifest.frames.b.pse: expected a known key, got 'pse' at {path}:3; did you mean 'pose'?",
    ]
