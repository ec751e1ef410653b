"""What cameras cost the physics thread, in rows of the performance budget.

Run it with a path to Python, or let ``budget.py`` print its rows beside the others.
"""

from __future__ import annotations

import contextlib
import gc
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import mujoco
from roqsim.drivers.runner import Limits, Runner
from roqsim.engine import Engine
from roqsim.rendering import RenderService
from roqsim.rendering.fake import FakeBackend
from roqsim.testing import world

Row = tuple[str, float, float, str]

CAPTURES = 300
"""How many captures the median is of."""

BETWEEN = 20
"""Steps before each of them."""

PAGE_MB = 4096 / 1e6

COLOUR = frozenset({"colour"})


def discard(picture: object) -> None:
    """Makes nothing of a picture."""


ROOM = "roqsim_mobile:turtlebot4_room"

CAMERA = {"pose": {"position": [0.1, 0, 0.3]}, "width": 640, "height": 480, "rate_hz": 25}

WATCHED = {
    "sim": {"timestep": 0.004, "pacing": "realtime"},
    "components": [{"spawn_robot": {"model": "turtlebot4"}, "name": "robot", "components": [{"camera": CAMERA}]}],
}


def rows() -> list[Row]:
    """Every line about cameras: what, the result, the budget, the unit."""
    captured = capture_us()
    return [
        ("an image captured: the physics thread, beside one copy of the state and one wake-up", captured, 20.0, "us"),
        ("a watched 640 x 480 camera at 25 Hz in real time, |factor - 1|", pacing_miss(), 0.002, ""),
        ("200 camera worlds loaded, run and closed: memory grown in the second hundred", memory_growth(), 5.0, "%"),
    ]


def capture_us() -> float:
    """Microseconds of a capture for a robot's camera in a furnished room, beside what the machine takes for two things.

    These are a copy of the state, and waking a thread that sleeps: a constant of the machine (a virtual one that sends
    an interrupt to an idle processor needs 7 to 12 us), timed in the same run. The pictures are painted without GL, so
    that what is timed is the physics thread's own work and not how much of the processor's caches the driver has taken
    over. Between two captures the physics runs on, as it does in a run, and the render thread sleeps again.
    """
    with world(ROOM) as engine, sleeper() as wake:
        ctx = engine.ctx
        ctx.render = service = RenderService(ctx, backend=FakeBackend())
        spare = mujoco.MjData(ctx.model)
        lens = {"size": (64, 48), "intrinsics": (60.0, 60.0, 31.5, 23.5), "clip": (0.05, 50.0)}
        stream = service.open("bench", camera=0, **lens)
        turns = []

        def seconds_of(act: Callable[[], object]) -> float:
            engine.advance(BETWEEN)
            start = time.perf_counter()
            act()
            took = time.perf_counter() - start
            if turns:
                turns.pop().wait(30.0)
            return took

        def capture() -> None:
            turns.append(service.capture([(stream, COLOUR, discard)])[0])

        def copy() -> None:
            mujoco.mj_copyData(spare, ctx.model, ctx.data)

        # One after the other, so that what else the machine does hits all three.
        beside = [seconds_of(capture) - seconds_of(copy) - seconds_of(wake) for _ in range(CAPTURES)]
        return 1e6 * statistics.median(beside)


@contextlib.contextmanager
def sleeper() -> Iterator[Callable[[], None]]:
    """A thread that sleeps; gives what wakes it for a moment."""
    bell, is_over = threading.Lock(), threading.Event()
    bell.acquire()

    def sleep() -> None:
        while not is_over.is_set():
            bell.acquire()

    thread = threading.Thread(target=sleep)
    thread.start()
    yield bell.release
    is_over.set()
    while thread.is_alive():
        if bell.locked():
            bell.release()
        thread.join(0.01)


def pacing_miss() -> float:
    """How far real time is missed while somebody watches a camera."""
    engine = world(WATCHED, reset=False)
    watch(engine)
    engine.ctx.render.prepare()
    summary = Runner(engine, 1.0, Limits(seconds=5.0)).run()
    return abs(summary.factor - 1.0)


def watch(engine: Engine) -> None:
    """Gives every picture of a world a listener."""
    for endpoint in engine.ctx.interface.by_direction("out"):
        endpoint.has_subscribers = endpoint.name == "image"


def memory_growth() -> float:
    """By how many percent the second of two hundred worlds takes more than the first, once fifty have warmed it up.

    Compared is what each hundred takes at most, because allocators give memory back in their own time.
    """
    document = {"components": [{"camera": {**CAMERA, "width": 320, "height": 240}}]}

    def cycle() -> None:
        with world(document) as engine:
            engine.advance(20)
            engine.ctx.interface.get("", "image").read()

    def most(worlds: int) -> float:
        found = 0.0
        for number in range(worlds):
            cycle()
            if number % 10 == 9:
                found = max(found, resident_mb())
        return found

    most(50)
    first, second = most(100), most(100)
    return 100.0 * (second / first - 1.0)


def resident_mb() -> float:
    """The process's resident memory in megabytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_MB


if __name__ == "__main__":
    for what, result, budget, unit in rows():
        print(f"{what}: {result:.3f} {unit} (budget {budget:g})")
