"""Prints the performance budget as ratios to bare MuJoCo, measured side by side in one process.

Run it with ``make bench``. It is a benchmark, not a test: it ends with status 5 where a line misses its budget.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import bench_camera
import bench_lidar
import bench_recording
import mujoco
import numpy as np
from pairs import paired
from roqsim.context import RobotHandle
from roqsim.drivers.runner import Limits, Runner
from roqsim.engine import Engine
from roqsim.plugin import Plugin
from roqsim.raycast import visible_groups
from roqsim.testing import world

ROUNDS = 9
"""How many rounds a ratio is the median of."""

FINE_ROUNDS = 31
"""The same, where a hundredth decides."""

ENGINES = 5
"""How many engines such a ratio is the median of."""

TURTLEBOT = """
sim: {}
components:
  - spawn_robot: {model: turtlebot4}
    name: robot
    components:
      - diff_drive: {command_timeout: 0}
      - spawn_sensor: {}
        name: rplidar
        components: [{lidar: {range_stddev_relative: 0}}]
"""

EMPTY = "sim: {timestep: 0.002}\n"


@dataclass(frozen=True)
class Line:
    """One line of the budget.

    Attributes:
        what: What was measured.
        value: The result.
        budget: The largest value that is good.
        unit: What the value is in.
    """

    what: str
    value: float
    budget: float
    unit: str = "x"

    @property
    def is_met(self) -> bool:
        """Whether the value is within the budget."""
        return self.value <= self.budget

    def __str__(self) -> str:
        verdict = "ok" if self.is_met else "MISSED"
        return f"{self.what:<72} {self.value:>8.3f} {self.unit:<3} <= {self.budget:<6g} {verdict}"


class Quiet(Plugin):
    """Has both hooks of a tick, due once in ten simulated seconds."""

    def configure(self, ctx):
        ctx.schedule(self, "pre_step", 0.1)
        ctx.schedule(self, "post_step", 0.1)

    def pre_step(self, ctx):
        pass

    def post_step(self, ctx):
        pass


def bare_copy(engine: Engine) -> Callable[[int], None]:
    """A loop over the same model with nothing but ``mj_step`` in it; each turn begins where the engine stands."""
    model, data = engine.ctx.model, mujoco.MjData(engine.ctx.model)
    step = mujoco.mj_step

    def loop(n: int) -> None:
        mujoco.mj_copyData(data, model, engine.ctx.data)
        for _ in range(n):
            step(model, data)

    return loop


def scanning_loop(engine: Engine, n: int) -> Callable[[], None]:
    """A loop over the same model that casts the lidar's rays as often as the lidar does."""
    lidar = next(plugin for plugin in engine.plugins if plugin.name == "lidar")
    every = engine.ctx.schedules[lidar, "post_step"].every_steps
    model, data = engine.ctx.model, mujoco.MjData(engine.ctx.model)
    mujoco.mj_copyData(data, model, engine.ctx.data)
    body = engine.ctx.entities.require("robot.rplidar").body
    rays = (lidar.rays() @ data.xmat[body].reshape(3, 3).T).ravel()
    count = len(rays) // 3
    geoms, distances = np.empty(count, dtype=np.int32), np.empty(count)
    groups, limit = visible_groups(), lidar.config.range_max

    def loop() -> None:
        for tick in range(1, n + 1):
            mujoco.mj_step(model, data)
            if tick % every == 0:
                origin = data.xpos[body]
                mujoco.mj_multiRay(model, data, origin, rays, groups, 1, body, geoms, distances, None, count, limit)

    return loop


def step_lines() -> Iterator[Line]:
    """What a tick costs over the physics."""
    with world(TURTLEBOT) as engine:
        engine.ctx.blackboard.require("robot:robot", RobotHandle).drive(0.2, 0.0, 0.5)
        engine.advance(500)
        loop = bare_copy(engine)

        def steps() -> None:
            step = engine.step
            for _ in range(4000):
                step()

        yield Line(
            "engine.step() on a TurtleBot world; its devices unwatched", paired(steps, lambda: loop(4000), ROUNDS), 1.05
        )
    yield Line("engine.advance(n) on the same world", statistics.median(advance_ratios()), 1.0)
    with world(TURTLEBOT) as engine:
        engine.ctx.interface.get("robot.rplidar", "scan").has_subscribers = True
        engine.advance(500)
        ratio = paired(lambda: engine.advance(4000), scanning_loop(engine, 4000), ROUNDS)
        yield Line("the same, lidar watched, to a loop that casts the same rays too", ratio, 1.05)
    with world(
        EMPTY + "components: [{boxes: {instances: [{size: [0.2, 0.2, 0.2], pose: {position: {z: 0.1}}}]}}]\n"
    ) as engine:
        loop = bare_copy(engine)
        yield Line(
            "engine.advance(n) on one box", paired(lambda: engine.advance(8000), lambda: loop(8000), ROUNDS), 1.0
        )


def advance_ratios() -> Iterator[float]:
    """The same ratio in several engines: where its memory happens to lie changes it by half a hundredth."""
    for _ in range(ENGINES):
        with world(TURTLEBOT) as engine:
            engine.ctx.blackboard.require("robot:robot", RobotHandle).drive(0.2, 0.0, 0.5)
            engine.advance(500)
            yield paired(partial(engine.advance, 2000), partial(bare_copy(engine), 2000), FINE_ROUNDS)


def idle_line() -> Line:
    """What ten plugins cost while their hooks are not due."""
    sys.modules["budget"] = sys.modules[__name__]
    entries = [{"budget:Quiet": {}, "name": f"quiet{index}"} for index in range(10)]
    n = 20_000
    with world({"components": entries}) as busy, world({"components": []}) as idle:

        def run(engine: Engine) -> Callable[[], float]:
            def timed() -> float:
                start = time.perf_counter()
                step = engine.step
                for _ in range(n):
                    step()
                return time.perf_counter() - start

            return timed

        with_them, without = run(busy), run(idle)
        extra = statistics.median(with_them() - without() for _ in range(ROUNDS))
    return Line("ten plugins whose hooks are not due, a step", 1e6 * extra / n, 0.3, "us")


def pacing_line() -> Line:
    """How far real time is missed with slack."""
    engine = world("sim: {timestep: 0.001}\n", reset=False)
    summary = Runner(engine, 1.0, Limits(seconds=5.0)).run()
    return Line("real-time pacing of an empty world, |factor - 1|", abs(summary.factor - 1.0), 0.002, "")


def help_line() -> Line:
    """Which heavy modules the help page loads."""
    program = (
        "import sys; sys.argv = ['roqsim', '--help']\n"
        "from roqsim.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(len({'mujoco', 'numpy', 'yaml', 'PIL'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return Line("roqsim --help: modules of mujoco, numpy, yaml, PIL loaded", float(done.stderr.split()[-1]), 0, "")


def copies_line(folder: Path) -> Line:
    """What 240 copies of a prop with a mesh cost to compile."""
    model = made_prop(folder)

    def document(count: int) -> dict:
        entries = [
            {
                "spawn_model": {"model": str(model), "motion": "static", "pose": {"position": {"x": 0.1 * index}}},
                "name": f"prop{index}",
            }
            for index in range(count)
        ]
        return {"components": entries}

    def compile_seconds(count: int) -> float:
        program = (
            "import json, sys\n"
            "from roqsim.testing import world\n"
            "with world(json.loads(sys.argv[1]), reset=False) as engine: report = engine.load_report()\n"
            "print(report['compile'] + report['share assets'])"
        )
        command = [sys.executable, "-c", program, json.dumps(document(count))]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    # In processes of their own, because MuJoCo keeps a mesh that it has decoded once.
    ratio = statistics.median(compile_seconds(240) / compile_seconds(1) for _ in range(5))
    return Line("a world with 240 copies of one prop, compiled, to one copy", ratio, 1.3)


def made_prop(folder: Path) -> Path:
    """An MJCF file with a sphere-like mesh of 20,000 faces."""
    rows, columns = 100, 100
    polar, azimuth = np.meshgrid(
        np.linspace(0.01, np.pi - 0.01, rows), np.linspace(0, 2 * np.pi, columns), indexing="ij"
    )
    points = 0.05 * np.stack(
        [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=-1
    ).reshape(-1, 3)
    faces = [
        (i * columns + j, (i + 1) * columns + j, (i + 1) * columns + j + 1, i * columns + j + 1)
        for i in range(rows - 1)
        for j in range(columns - 1)
    ]
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points]
    lines += [f"f {a + 1} {b + 1} {c + 1}\nf {a + 1} {c + 1} {d + 1}" for a, b, c, d in faces]
    (folder / "ball.obj").write_text("\n".join(lines))
    path = folder / "ball.xml"
    path.write_text(
        "<mujoco model='ball'><asset><mesh name='ball' file='ball.obj'/></asset>"
        "<worldbody><body name='ball'><geom type='mesh' mesh='ball'/></body></worldbody></mujoco>"
    )
    return path


def resets_line() -> Line:
    """By how much a thousand resets grow the process."""
    with world(TURTLEBOT) as engine:
        for _ in range(300):
            engine.reset()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(1000):
            engine.reset()
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return Line("1,000 resets: resident memory grown", grown, 5.0, "MB")


def lines(folder: Path) -> Iterator[Line]:
    """The whole budget, one line after the other."""
    yield from step_lines()
    yield idle_line()
    yield from (Line(*row) for row in bench_lidar.rows())
    yield from (Line(*row) for row in bench_camera.rows())
    yield from (Line(*row) for row in bench_recording.rows())
    yield copies_line(folder)
    yield pacing_line()
    yield resets_line()
    yield help_line()


def main() -> int:
    """Prints every line and returns the exit status."""
    import tempfile

    print(f"MuJoCo {mujoco.__version__}, Python {sys.version.split()[0]}")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for line in lines(Path(folder)):
            print(line, flush=True)
            missed += not line.is_met
    return 5 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
