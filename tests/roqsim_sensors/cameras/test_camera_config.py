"""What a camera refuses, and how it says so."""

from __future__ import annotations

import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError
from roqsim_sensors.plugins.camera import CameraConfig


def config(text: str) -> CameraConfig:
    """A camera's configuration from flow-style YAML."""
    return read(CameraConfig, loads(text, "world.yaml"), "cam")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{width: 0}", "cam.width: expected int > 0 and <= 16384 (px), got 0"),
        ("{fovy: 60}", "cam.fovy: expected float > 0 and < 3.14 (rad), got 60"),
        ("{fovy: 1.0, fx: 300}", "cam.fx: expected fovy or fx, not both, got 300.0"),
        ("{cx: 300}", "cam.cx: expected it beside fx, got 300.0 without"),
        ("{clip_near: 2, clip_far: 1}", "cam.clip_near: expected less than clip_far (1 m), got 2.0"),
        ("{streams: []}", "cam.streams: expected a list of 1 to 4"),
        ("{streams: [colour, colour]}", "cam.streams: expected each stream once, got 'colour' again"),
        ("{depth: {format: 16UC1}}", "cam.depth: expected 'depth' or 'points' among streams, got ['colour']"),
        ("{points: {colours: true}}", "cam.points: expected 'points' among streams"),
        ("{depth_stddev: 0.1}", "cam.depth_stddev: expected 'depth' or 'points' among streams"),
        ("{streams: [depth], colour_stddev: 2}", "cam.colour_stddev: expected 'colour' among streams"),
        (
            "{streams: [depth], depth: {format: 16UC1}}",
            "cam.clip_far: expected at most 65.535 m with depth.format 16UC1, got 100.0",
        ),
        (
            "{streams: [depth], depth: {format: 16UC1, range_max: 70}}",
            "cam.depth.range_max: expected at most 65.535 m with depth.format 16UC1, got 70.0",
        ),
        ("{streams: [depth], depth: {range_min: 200}}", "cam.depth.range_min: expected less than 100 m, got 200.0"),
        ("{streams: [depth], depth: {format: 8UC1}}", "cam.depth.format: expected '32FC1', '16UC1', got '8UC1'"),
        (
            "{streams: [colour, points, depth], points: {colours: true}, depth: {optics: {width: 320}}}",
            "cam.points.colours: expected colour and depth to have the same optics",
        ),
        ("{colour: {frame_id: x}}", "cam.colour.frame_id: expected it beside a pose, got 'x' without"),
        ("{camera: eye, site: mark}", "cam.site: expected a camera or a site, not both, got 'mark'"),
        ("{camera: eye, pose: {position: [1, 0, 0]}}", "cam.pose: expected none beside a camera"),
        ("{camera: eye, colour: {pose: {}}}", "cam.colour.pose: expected none beside a camera"),
        ("{body: a, site: b}", "cam.site: expected a body or a site, not both"),
        ("{distortion: [-4]}", "cam.distortion: expected coefficients that can be undone"),
        ("{distortion: [0, 0, 0, 0, 0, 0]}", "cam.distortion: expected a list of 0 to 5"),
        ("{quality: {samples: 64}}", "cam.quality.samples: expected int >= 0 and <= 16, got 64"),
        ("{quality: {shadow: true}}", "cam.quality.shadow: expected a known key, got 'shadow'"),
        ("{colour: {jpeg_quality: 100}}", "cam.colour.jpeg_quality: expected int >= 1 and <= 95, got 100"),
        ("{when_busy: skip}", "cam.when_busy: expected 'drop', 'wait', 'lockstep', got 'skip'"),
        ("{buffer: 1}", "cam.buffer: expected int >= 2 and <= 64, got 1"),
        ("{rate_hz: 0}", "cam.rate_hz: expected float > 0 (Hz), got 0"),
        ("{axes: z}", "cam.axes: expected 'body', 'optical', got 'z'"),
        ("{fault: {clip_far: 3}}", "cam.fault.clip_far: expected a key that a fault may change"),
        ("{fault: {depth_stddev: 0.1}}", "cam.fault.depth_stddev: expected 'depth' or 'points' among streams"),
    ],
)
def test_a_mistake_is_named_with_its_place(text, message):
    with pytest.raises(ConfigError) as caught:
        config(text)
    assert message in str(caught.value)
    assert "world.yaml:1" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{streams: [depth], depth: {format: 16UC1, range_max: 10}}",
        "{streams: [depth], clip_far: 65.535, depth: {format: 16UC1}}",
        "{streams: [points], depth: {range_max: 3}}",
        "{streams: [colour, points], points: {colours: true}, depth_stddev: 0.01}",
        "{streams: [colour, depth], fault: {depth_stddev: 0.1, colour_stddev: 20}}",
        "{quality: {samples: auto, shadows: true, reflections: false, shadow_size: 512, gpu: true}}",
        "{fx: 500, fy: 510, cx: 310.5, cy: 250, distortion: [-0.3, 0.1]}",
    ],
)
def test_what_makes_sense_is_taken(text):
    assert config(text)


def test_the_schema_knows_every_stream():
    schema = json_schema(CameraConfig)
    assert schema["properties"]["streams"]["items"]["enum"] == ["colour", "depth", "segmentation", "points"]
    assert schema["properties"]["quality"]["properties"]["shadows"]
