"""Floor plans: walls where the plan says, for rays and for robots."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from PIL import Image
from roqsim.errors import ConfigError, RoqsimError
from roqsim_mobile.plugins.floorplan import Floorplan

ROOM = [[-2, -1.5], [2, -1.5], [2, 1.5], [-2, 1.5]]


def cast(engine, x: float, y: float, angle: float, height: float = 0.3) -> float:
    """The distance from a point along a direction to the nearest geom, -1 for none."""
    model, data = engine.ctx.model, engine.ctx.data
    direction = np.array([math.cos(angle), math.sin(angle), 0.0])
    hit = mujoco.mj_ray(model, data, np.array([x, y, height]), direction, None, 1, -1, np.zeros(1, dtype=np.int32))
    return float(hit[0] if isinstance(hit, tuple) else hit)


def plan(world, **config):
    return world({"components": [{"floorplan": config}]})


@pytest.mark.parametrize("outline", [ROOM, ROOM[::-1], [ROOM]])
def test_rays_meet_the_outline_at_its_inner_faces(world, outline):
    engine = plan(world, outline=outline)
    for angle in np.linspace(-math.pi, math.pi, 73):
        c, s = abs(math.cos(angle)), abs(math.sin(angle))
        expected = min(2 / c if c > 1e-12 else math.inf, 1.5 / s if s > 1e-12 else math.inf)
        assert cast(engine, 0.0, 0.0, angle) == pytest.approx(expected, abs=1e-6)


def test_corners_let_no_ray_out(world):
    engine = plan(world, outline=[[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]])
    assert all(cast(engine, 1.0, 1.0, angle) > 0 for angle in np.linspace(-math.pi, math.pi, 721))


def test_a_door_lets_rays_through_below_its_head(world):
    engine = plan(world, outline=ROOM, walls=[[0, -1.5, 0, 1.5]], openings=[{"at": [0, 0.5], "width": 1.0}])
    assert cast(engine, -1.0, 0.5, 0.0) == pytest.approx(3.0)
    assert cast(engine, -1.0, 0.5, 0.0, height=2.3) == pytest.approx(0.95)
    assert cast(engine, -1.0, -0.5, 0.0) == pytest.approx(0.95)


def test_a_window_lets_rays_through_above_its_sill(world):
    engine = plan(world, outline=ROOM, openings=[{"at": [2, 0], "width": 1.0, "sill": 0.8, "height": 1.6}])
    assert cast(engine, 0.0, 0.0, 0.0) == pytest.approx(2.0)
    assert cast(engine, 0.0, 0.0, 0.0, height=1.2) == -1.0


def test_every_part_has_a_name_and_the_ground_is_called_floor(world):
    engine = plan(world, outline=ROOM, walls=[[0, -1, 0, 1]], openings=[{"at": [0, 0]}])
    model = engine.ctx.model
    names = [model.geom(index).name for index in range(model.ngeom)]
    assert all(names) and {"floor", "wall_0", "wall_3", "inner_wall_0_0", "inner_wall_0_1"} <= set(names)
    assert model.nlight == 1


def test_without_walls_there_is_ground_and_light(world):
    engine = plan(world)
    assert [engine.ctx.model.geom(index).name for index in range(engine.ctx.model.ngeom)] == ["floor"]
    assert plan(world, light=False).ctx.model.nlight == 0


def test_a_robot_is_stopped_by_a_wall(world, as_robot):
    robot = {"name": "robot", "spawn_robot": {"model": "turtlebot4"}}
    robot["components"] = [{"diff_drive": {"test_cmd": [{"at": 0, "linear": 0.3}]}}]
    sim = {"timestep": 0.004, "integrator": "implicitfast"}
    engine = world({"sim": sim, "components": [{"floorplan": {"outline": ROOM}}, robot]})
    base = as_robot(engine, "robot")
    base.run(10.0)
    assert base.pose[0] == pytest.approx(2.0 - 0.17, abs=0.02)
    assert base.read("odom").x > 2.2


# Maps


def write_map(folder, cells: np.ndarray, *, kind: str = "pgm", **keys) -> str:
    """Writes ``cells`` (row 0 at the lowest y, true where there is a wall) as map_server does."""
    grey = np.where(cells[::-1], 0, 254).astype(np.uint8)
    if keys.get("negate"):
        grey = 255 - grey
    Image.fromarray(grey).save(folder / f"map.{kind}")
    said = {"image": f"map.{kind}", "resolution": 0.05, "origin": [-1.0, -0.5, 0.0], **keys}
    (folder / "map.yaml").write_text("".join(f"{key}: {value}\n" for key, value in said.items()))
    return "map.yaml"


def area(engine) -> float:
    model = engine.ctx.model
    walls = [index for index in range(model.ngeom) if model.geom(index).name.startswith("map_")]
    return float(sum(4 * model.geom_size[index, 0] * model.geom_size[index, 1] for index in walls))


@pytest.mark.parametrize("kind", ["pgm", "png"])
@pytest.mark.parametrize("negate", [0, 1])
def test_a_map_becomes_walls_that_cover_its_occupied_cells(world, tmp_path, kind, negate):
    cells = np.random.default_rng(2).random((30, 40)) < 0.3
    write_map(tmp_path, cells, kind=kind, negate=negate)
    engine = world({"components": [{"floorplan": {"map": "map.yaml", "wall_height": 1.0}}]}, base_dir=tmp_path)
    assert area(engine) == pytest.approx(cells.sum() * 0.05**2)
    down = np.array([0.0, 0.0, -1.0])
    for row, column in np.random.default_rng(4).integers([0, 0], cells.shape, (200, 2)):
        point = np.array([-1.0 + (column + 0.5) * 0.05, -0.5 + (row + 0.5) * 0.05, 5.0])
        hit = mujoco.mj_ray(engine.ctx.model, engine.ctx.data, point, down, None, 1, -1, np.zeros(1, dtype=np.int32))
        distance = float(hit[0] if isinstance(hit, tuple) else hit)
        assert distance == pytest.approx(4.0 if cells[row, column] else 5.0)


def test_a_turned_map_is_turned_about_its_origin(world, tmp_path):
    cells = np.zeros((10, 20), dtype=bool)
    cells[:, 19] = True
    write_map(tmp_path, cells, origin=[1.0, 2.0, math.pi / 2])
    engine = world({"components": [{"floorplan": {"map": "map.yaml"}}]}, base_dir=tmp_path)
    assert cast(engine, 0.75, 2.0, math.pi / 2) == pytest.approx(0.95)


def test_unknown_cells_are_free(world, tmp_path):
    write_map(tmp_path, np.zeros((4, 4), dtype=bool))
    Image.fromarray(np.full((4, 4), 205, dtype=np.uint8)).save(tmp_path / "map.pgm")
    engine = world({"components": [{"floorplan": {"map": "map.yaml"}}]}, base_dir=tmp_path)
    assert area(engine) == 0.0


def test_its_sources_are_map_and_picture(tmp_path):
    write_map(tmp_path, np.zeros((4, 4), dtype=bool))
    plugin = Floorplan({"map": str(tmp_path / "map.yaml")})
    assert [path.name for path in plugin.sources()] == ["map.yaml", "map.pgm"]
    assert Floorplan({"map": str(tmp_path / "no.yaml")}).sources() == [tmp_path / "no.yaml"]
    assert Floorplan({}).sources() == []


# Mistakes


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"outline": [[0, 0], [1, 0]]}, "expected three corners or more, got 2"),
        ({"outline": [[0, 0], [2, 2], [2, 0], [0, 2]]}, "does not cross itself, got edges 0 and 2"),
        ({"outline": [[0, 0], [1, 0], [1, 1], [0, 0]]}, r"differ from their neighbours, got \[0.0, 0.0\] twice"),
        ({"outline": [[0, 0, 1], [1, 0], [1, 1]]}, "outline"),
        ({"outline": 3}, "outline"),
        ({"walls": [[0, 0, 1]]}, "walls"),
        ({"wall_height": 0}, "wall_height: expected float > 0"),
        ({"openings": [{"at": [0, 0], "sill": 3.0}]}, "sill: expected a height < 2.1 m"),
        ({"wall_color": [2, 0, 0]}, "wall_color"),
    ],
)
def test_a_wrong_plan_is_refused(world, config, text):
    with pytest.raises(ConfigError, match=text):
        plan(world, **config)


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"outline": ROOM, "openings": [{"at": [0, 0]}]}, "expected a place within 0.5 m of a wall"),
        ({"outline": ROOM, "openings": [{"at": [2, 0]}, {"at": [2, 0.5]}]}, "expected openings that do not overlap"),
        ({"walls": [[1, 1, 1, 1]]}, "expected a wall with a length"),
    ],
)
def test_a_plan_that_does_not_work_out_is_refused(world, config, text):
    with pytest.raises(RoqsimError, match=text):
        plan(world, **config)


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({}, "map.yaml"),
        ({"map.yaml": "image: no.pgm\nresolution: 0.05\norigin: [0, 0, 0]\n"}, r"no\.pgm.*does not exist"),
        ({"map.yaml": "resolution: 0.05\norigin: [0, 0, 0]\n"}, "image: expected"),
        ({"map.yaml": "image: a.pgm\nresolution: -1\norigin: [0, 0, 0]\n"}, "resolution: expected float > 0"),
        ({"map.yaml": "image: a.pgm\nresolution: 1\norigin: [0, 0, 90]\n"}, "origin: .*90 degrees are 1.5708"),
        (
            {"map.yaml": "image: a.pgm\nresolution: 1\norigin: [0, 0, 0]\n", "a.pgm": "no picture"},
            "expected a PGM or PNG",
        ),
    ],
)
def test_a_map_that_can_not_be_read_is_one_clear_error(world, tmp_path, files, text):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(RoqsimError, match=text) as error:
        world({"components": [{"floorplan": {"map": "map.yaml"}}]}, base_dir=tmp_path)
    assert "Traceback" not in str(error.value)


def test_two_floor_plans_are_refused(world):
    with pytest.raises(ConfigError, match="expected one component that provides the world"):
        world({"components": [{"floorplan": {}}, {"name": "other", "floorplan": {}}]})
