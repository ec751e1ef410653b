from __future__ import annotations

import math
import sys

import mujoco
import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.mj import poses
from roqsim.testing import check_plugin
from roqsim_sensors.cameras import fiducials
from roqsim_sensors.plugins.fiducial_marker import FiducialMarker, FiducialMarkerConfig

cv2 = pytest.importorskip("cv2")

WIDTH, HEIGHT = 960, 720
FOVY = 50.0
EYE = (0.0, 0.0, 1.2)
"""The camera of the test looks along the world's x axis from here, with the image's up along z."""


def towards_camera(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> tuple[float, float, float, float]:
    """The orientation of a marker that faces the camera (along -x), upright, turned by further angles of its own."""
    facing = np.column_stack(([0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]))
    turned = poses.multiply(poses.from_matrix(facing), poses.from_euler(pitch, yaw, roll))
    return poses.normalized(turned)


@pytest.fixture
def picture(world):
    """Renders markers before a camera: ``picture({"id": 3, "pose": …})`` gives a grey image and the engine."""
    contexts = []

    def make(*markers: dict):
        components = [{"fiducial_marker": marker, "name": f"tag{number}"} for number, marker in enumerate(markers)]
        engine = world({"sim": {"timestep": 0.002}, "components": components})
        model, data = engine.ctx.model, engine.ctx.data
        model.vis.global_.offwidth, model.vis.global_.offheight = WIDTH, HEIGHT
        model.vis.global_.fovy = FOVY
        model.vis.map.znear = 0.01 / model.stat.extent
        renderer = mujoco.Renderer(model, HEIGHT, WIDTH)
        contexts.append(renderer)
        camera = mujoco.MjvCamera()
        camera.lookat[:] = (EYE[0] + 1.0, EYE[1], EYE[2])
        camera.distance, camera.azimuth, camera.elevation = 1.0, 0.0, 0.0
        renderer.update_scene(data, camera)
        return cv2.cvtColor(renderer.render(), cv2.COLOR_RGB2GRAY), engine

    yield make
    for renderer in contexts:
        renderer.close()


def detect(image: np.ndarray, family: str) -> dict[int, np.ndarray]:
    """What OpenCV's detector finds: the corners in pixels by id."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(fiducials.dictionary_of(family), parameters)
    corners, found, _ = detector.detectMarkers(image)
    return {} if found is None else {int(each): corner[0] for each, corner in zip(found.ravel(), corners, strict=True)}


def pose_in_world(corners: np.ndarray, edge: float) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation matrix of a marker in the world, from its picture."""
    focal = HEIGHT / 2.0 / math.tan(math.radians(FOVY) / 2.0)
    intrinsics = np.array([[focal, 0, WIDTH / 2 - 0.5], [0, focal, HEIGHT / 2 - 0.5], [0, 0, 1.0]])
    half = edge / 2.0
    square = np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])
    _, turn, shift = cv2.solvePnP(square, corners, intrinsics, None, flags=cv2.SOLVEPNP_IPPE_SQUARE)
    R_WC = np.column_stack(([0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]))
    return R_WC @ shift.ravel() + EYE, R_WC @ cv2.Rodrigues(turn)[0]


@pytest.mark.gl
@pytest.mark.parametrize(
    ("family", "number"), [("apriltag_36h11", 0), ("apriltag_36h11", 586), ("aruco_4x4_50", 17), ("aruco_original", 5)]
)
@pytest.mark.parametrize("angles", [{"yaw": 0.5}, {"pitch": -0.4, "roll": 0.7}, {"yaw": -0.6, "roll": 2.5}])
def test_opencv_finds_a_rendered_marker_where_it_is(picture, family, number, angles):
    place, turn = (1.3, 0.15, 1.1), towards_camera(**angles)
    image, engine = picture(
        {"family": family, "id": number, "size": 0.4, "pose": {"position": place, "orientation": list(turn)}}
    )
    found = detect(image, family)
    assert list(found) == [number]
    entity = engine.ctx.entities.require("tag0")
    position, rotation = pose_in_world(found[number], entity.meta["marker_length"])
    np.testing.assert_allclose(position, place, atol=0.006)
    error = np.trace(rotation.T @ poses.to_matrix(turn))
    assert math.degrees(math.acos(min(1.0, (error - 1.0) / 2.0))) < 2.0


@pytest.mark.gl
def test_several_markers_of_one_picture_are_told_apart_and_their_backs_are_blank(picture):
    back = poses.multiply(towards_camera(), (0.0, 0.0, 1.0, 0.0))
    image, _ = picture(
        {"id": 1, "pose": {"position": [1.2, 0.25, 1.2], "orientation": list(towards_camera())}},
        {"id": 2, "pose": {"position": [1.2, -0.25, 1.2], "orientation": list(towards_camera())}},
        {"id": 3, "pose": {"position": [1.2, 0.0, 1.5], "orientation": list(back)}},
    )
    found = detect(image, "apriltag_36h11")
    assert sorted(found) == [1, 2]
    assert found[1][:, 0].mean() < WIDTH / 2 < found[2][:, 0].mean()
    assert not detect(image[:, ::-1].copy(), "apriltag_36h11")


@pytest.mark.parametrize("border", [1, 2])
def test_the_size_counts_the_white_margin_and_the_pattern_is_opencvs(border):
    pattern = fiducials.modules("apriltag_36h11", 7, border)
    assert pattern.shape == (8 + 2 * border,) * 2
    assert (pattern[:border] == 255).all()
    assert (pattern[:, -border:] == 255).all()
    inner = pattern[border:-border, border:-border]
    assert (inner[0] == 0).all()
    large = cv2.aruco.generateImageMarker(fiducials.dictionary_of("apriltag_36h11"), 7, 80)
    np.testing.assert_array_equal(np.kron(inner, np.ones((10, 10))), large)


def test_every_family_that_is_offered_is_one_that_opencv_knows():
    for family in fiducials.DICTIONARIES:
        pattern = fiducials.modules(family, 0)
        assert set(np.unique(pattern)) == {0, 255}


def test_a_marker_is_an_entity_with_what_a_detector_needs(world):
    engine = world({"components": [{"fiducial_marker": {"id": 4, "size": 0.5, "border": 2}, "name": "dock"}]})
    entity = engine.ctx.entities.require("dock")
    assert entity.kind == "marker"
    assert {key: entity.meta[key] for key in ("family", "id", "size")} == {
        "family": "apriltag_36h11", "id": 4, "size": 0.5,
    }  # fmt: skip
    assert entity.meta["marker_length"] == pytest.approx(0.5 * 8 / 12)


def test_the_plate_is_met_by_rays_at_its_face_and_weighs_what_it_should(world):
    at = {"position": [0, 0, 1], "orientation": {"roll": 0.3}}
    markers = [
        {"fiducial_marker": {"id": 4, "size": 0.3, "thickness": 0.01, "pose": at}, "name": "fixed"},
        {"fiducial_marker": {"id": 5, "motion": "physics", "pose": {"position": [2, 0, 0.5]}}, "name": "free"},
        {"fiducial_marker": {"id": 6, "mass": 2.5}, "name": "heavy"},
    ]
    engine = world({"components": markers})
    model, data = engine.ctx.model, engine.ctx.data
    normal = data.body("fixed_apriltag_36h11_4").xmat.reshape(3, 3)[:, 2]
    groups = np.ones(6, dtype=np.uint8)
    groups[2] = 0
    start = np.array([0.0, 0.0, 1.0]) + normal
    assert mujoco.mj_ray(model, data, start, -normal, groups, 1, -1, None) == pytest.approx(1.0)
    assert model.body("free_apriltag_36h11_5").mass[0] == pytest.approx(600 * 0.2 * 0.2 * 0.003)
    assert model.body("heavy_apriltag_36h11_6").mass[0] == pytest.approx(2.5)
    engine.advance(1000)
    assert data.body("free_apriltag_36h11_5").xpos[2] < 0.01


def test_a_marker_of_a_robot_moves_with_it(world, tmp_path):
    (tmp_path / "bot.xml").write_text(
        "<mujoco><worldbody><body name='base'><freejoint/><geom size='.1'/><site name='nose' pos='.1 0 0'/></body>"
        "</worldbody></mujoco>"
    )
    spawn = {
        "spawn_model": {"model": "bot.xml", "pose": {"position": [0, 0, 5]}},
        "name": "bot",
        "components": [{"fiducial_marker": {"id": 1, "parent": "nose"}, "name": "tag"}],
    }
    engine = world({"components": [spawn]}, base_dir=tmp_path)
    engine.advance(200)
    engine.ctx.refresh()
    entity = engine.ctx.entities.require("bot.tag")
    offset = engine.ctx.data.xpos[entity.body] - engine.ctx.data.body("bot_base").xpos
    np.testing.assert_allclose(offset, [0.1, 0, 0], atol=1e-6)
    assert entity.meta["carrier"] == "bot"


def test_the_world_with_a_marker_can_be_written_as_mjcf():
    spec = fiducials.plate("tag", fiducials.modules("aruco_4x4_50", 3), 0.2, 0.003)
    spec.compile()
    again = mujoco.MjSpec.from_string(spec.to_xml(), assets=spec.assets)
    assert again.compile().ntex == 1


def test_a_reset_gives_the_same_series_to_the_bit():
    check_plugin(
        FiducialMarker,
        "components: [fiducial_marker: {id: 1, motion: physics, pose: {position: [0, 0, 1]}}]\n",
    )


def test_opencv_is_asked_for_where_it_is_missing(monkeypatch, world):
    monkeypatch.setitem(sys.modules, "cv2", None)
    expected = (
        r"fiducial_marker: expected the package 'opencv-python-headless' for markers, got none; install roqsim_se"
    )
    with pytest.raises(RoqsimError, match=expected):
        world({"components": [{"fiducial_marker": {"id": 1}}]})


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{}", r"f\.id: expected int >= 0, got nothing"),
        ("{id: -1}", r"f\.id: expected int >= 0, got -1"),
        ("{id: 1, size: 0}", r"f\.size: expected float > 0 \(m\), got 0"),
        ("{id: 1, border: 0}", r"f\.border: expected int >= 1 and <= 10, got 0"),
        (
            "{id: 1, family: apriltag_36h12}",
            r"f\.family: expected .*got 'apriltag_36h12'.*did you mean 'apriltag_36h11'",
        ),
        ("{id: 1, motion: fly}", r"f\.motion: expected"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(FiducialMarkerConfig, loads(config, "w.yaml"), "f")


def test_a_number_that_the_family_does_not_have_is_refused(world):
    with pytest.raises(RoqsimError, match=r"^tag\.id: expected an id from 0 to 586 for 'apriltag_36h11', got 587"):
        world({"components": [{"fiducial_marker": {"id": 587}, "name": "tag"}]})


def test_the_schema_describes_every_key():
    assert all(each.get("description") for each in json_schema(FiducialMarkerConfig)["properties"].values())
