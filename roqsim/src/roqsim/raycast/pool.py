"""Worker threads that share one large ray cast, each with a copy of the poses that rays are cast against.

MuJoCo takes its scratch memory from ``MjData``, so two casts may never use one ``MjData`` at a time. Each worker has
its own, which gets the poses of the scan's state before its first rays. Every ray is answered as in one serial call,
bit for bit, however the rays are shared out.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

import mujoco
import numpy as np

POSES = ("geom_xpos", "geom_xmat", "xipos", "ximat")
"""What ``mj_multiRay`` reads of ``MjData``; a test holds it for every MuJoCo version that roqsim runs on."""

PAYS_FROM = 2000
"""Rays from which on sharing pays: 2,000 took 0.66 times as long on two free cores and 1.15 times on two busy ones, 500
gained nothing, because a worker takes tens of microseconds to wake up."""

ROUNDS = (0.75, 0.25)
"""The fractions of a cast that are shared out in turn, a slice for each thread: few slices, because each one costs a
hand-over of the interpreter, and small ones at the end, so that no thread waits long for another."""

MOST_BY_DEFAULT = 4
"""Threads that a scan uses where nothing is said: physics, rendering and transports want cores too."""

Job = Callable[[mujoco.MjData, int, int], None]
"""Casts the rays from a first one up to a last one, exclusively, against the given data."""


def default_threads() -> int:
    """How many threads a large scan uses where nothing is said: the process's cores, at most ``MOST_BY_DEFAULT``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_BY_DEFAULT)


@functools.lru_cache(maxsize=64)
def slices_of(count: int, threads: int) -> tuple[tuple[int, int], ...]:
    """First and last ray, exclusively, of the slices that so many threads take of a cast, in turn."""
    edges, begin = [0], 0.0
    for fraction in ROUNDS:
        edges += [round(count * (begin + fraction * (thread + 1) / threads)) for thread in range(threads)]
        begin += fraction
    return tuple((first, last) for first, last in zip(edges[:-1], edges[1:], strict=True) if last > first)


class _Scan:
    """One cast that is shared out: the slices that nobody has taken yet, and what became of the others."""

    def __init__(self, data: mujoco.MjData, job: Job, slices: tuple[tuple[int, int], ...]) -> None:
        self.poses = [getattr(data, name) for name in POSES]
        self._job: Job | None = job
        self._slices = deque(slices)
        self._outcomes: SimpleQueue[BaseException | None] = SimpleQueue()
        self._waiting_for = len(slices)

    def take(self) -> tuple[int, int] | None:
        """A slice that is now the caller's, or None where all are taken."""
        try:
            return self._slices.popleft()
        except IndexError:
            return None

    def work(self, data: mujoco.MjData, part: tuple[int, int] | None) -> None:
        """Casts a slice that was taken, and then others until all are taken."""
        while part is not None:
            try:
                self._job(data, *part)
                self._outcomes.put(None)
            except BaseException as error:
                self._outcomes.put(error)
            part = self.take()

    def join(self) -> None:
        """Waits for every slice, and raises the first exception of one."""
        outcomes = [self._outcomes.get() for _ in range(self._waiting_for)]
        # A worker that comes late must not be the last one to know the job, and with it the sensor that it belongs to.
        self._job, self.poses = None, []
        for error in outcomes:
            if error is not None:
                raise error


def _serve(tasks: SimpleQueue[_Scan | None], data: mujoco.MjData) -> None:
    """What a worker does until it is handed None."""
    copies = [getattr(data, name) for name in POSES]
    while (scan := tasks.get()) is not None:
        part = scan.take()
        if part is not None:
            for copy, pose in zip(copies, scan.poses, strict=True):
                np.copyto(copy, pose)
            scan.work(data, part)


class RayPool:
    """Threads that cast rays together with the one that asks.

    Args:
        model: The compiled model; while a scan runs nobody may write to it.
        threads: How many cast at a time, the asking one included.
    """

    def __init__(self, model: mujoco.MjModel, threads: int) -> None:
        if threads < 1:
            raise ValueError(f"threads: expected an int >= 1, got {threads!r}")
        self.threads = threads
        self._model = model
        self._busy = threading.Lock()
        self._tasks: SimpleQueue[_Scan | None] = SimpleQueue()
        self._datas = [mujoco.MjData(model) for _ in range(threads - 1)]
        self._workers = [
            threading.Thread(target=_serve, args=(self._tasks, data), name=f"rays-{index}", daemon=True)
            for index, data in enumerate(self._datas)
        ]
        for worker in self._workers:
            worker.start()

    def run(self, data: mujoco.MjData, job: Job, count: int) -> None:
        """Casts all rays and returns when the last one is cast.

        Args:
            data: The state to cast against; nobody else may use it meanwhile.
            job: Called on several threads at a time, each time with another ``MjData`` and other rays.
            count: How many rays there are.

        Raises:
            BaseException: What the job raised first.
        """
        with self._busy:
            if not self._workers:
                job(data, 0, count)
                return
            scan = _Scan(data, job, slices_of(count, self.threads))
            for _ in self._workers:
                self._tasks.put(scan)
            scan.work(data, scan.take())
            scan.join()

    def close(self) -> None:
        """Ends the workers and waits for them; a closed pool casts on the asking thread alone."""
        with self._busy:
            workers, self._workers = self._workers, []
            for _ in workers:
                self._tasks.put(None)
        for worker in workers:
            if worker is not threading.current_thread():  # which it is where a worker's garbage collection ends a lease
                worker.join()
        self._datas = []


class _Shared:
    """The pools that are in use, one for a model and a number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[tuple[int, int], list] = {}

    def lease(self, model: mujoco.MjModel, threads: int) -> RayPool:
        """A pool of the model, started for the first who asks."""
        with self._lock:
            # The pool keeps the model, so no other model can have its id meanwhile.
            entry = self._pools.setdefault((id(model), threads), [None, 0])
            if entry[0] is None:
                entry[0] = RayPool(model, threads)
            entry[1] += 1
            return entry[0]

    def release(self, key: tuple[int, int]) -> None:
        """Gives a lease back; the last one ends the threads."""
        with self._lock:
            entry = self._pools[key]
            entry[1] -= 1
            if entry[1]:
                return
            del self._pools[key]
        entry[0].close()


_SHARED = _Shared()


def lease(holder: object, model: mujoco.MjModel, threads: int) -> tuple[RayPool, Callable[[], object]]:
    """The pool that everybody shares who casts against a model with so many threads.

    Args:
        holder: Who needs it; the lease ends with its life at the latest.
        model: The compiled model.
        threads: How many threads cast at a time.

    Returns:
        The pool, and a function that ends the lease; the last lease's end stops the threads.
    """
    pool = _SHARED.lease(model, threads)
    return pool, weakref.finalize(holder, _SHARED.release, (id(model), threads))
