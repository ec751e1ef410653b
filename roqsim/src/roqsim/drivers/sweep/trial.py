"""One run of a sweep: what a worker process does."""

from __future__ import annotations

import json
import logging
import shutil
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from roqsim.destination import write_json
from roqsim.drivers.output import RunOutput
from roqsim.drivers.sweep.measure import Condition, Measure, Tally
from roqsim.drivers.tally import Limits, limit_text
from roqsim.drivers.target import load_target
from roqsim.engine import Engine
from roqsim.errors import RoqsimError
from roqsim.json_value import json_value

LOG = "run.log"
RESULT = "result.json"

ENDED, FAILED, ERROR = "ended", "failed", "error"
"""The verdicts: the run came to its end, a component called it failed, or something broke."""


@dataclass(frozen=True)
class Order:
    """What a worker has to do; plain data, so that it travels to any process.

    Attributes:
        directory: Where the run leaves its files.
        target: The world.
        overrides: Override files.
        sets: Assignments.
        seed: The seed.
        seconds: Simulated seconds at which it ends, or None.
        steps: Physics steps at which it ends, or None.
        until: Conditions that end it.
        measures: What is read off it.
        record: The name of its recording, or None.
        capture_fps: Samples a simulated second of it in Hz, or None for the usual rate.
    """

    directory: str
    target: str
    overrides: tuple[str, ...]
    sets: tuple[str, ...]
    seed: int
    seconds: float | None
    steps: int | None
    until: tuple[str, ...]
    measures: tuple[str, ...]
    record: str | None
    capture_fps: float | None


def run_trial(order: Order) -> dict[str, object]:
    """Runs one trial, in a process that may run others before and after it.

    Returns:
        What ``result.json`` holds by then: ``status``, ``reason``, ``simulated`` seconds, ``steps``, ``measures``.
    """
    folder = Path(order.directory)
    # What an interrupted try has left there is no part of this one.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began = time.time()
    with _logged(folder / LOG) as log:
        try:
            result = _run(order, folder)
        except Exception as error:
            log.write(traceback.format_exc())
            reason = str(error) if isinstance(error, RoqsimError) else f"{type(error).__name__}: {error}"
            result = _broken(reason)
    write_json(folder / RESULT, {**result, "began": began, "wall": time.time() - began})
    return result


def _broken(reason: str) -> dict[str, object]:
    """The result of a run that did not come to its end."""
    return {"status": ERROR, "reason": reason, "simulated": None, "steps": None, "measures": {}}


@contextmanager
def _logged(path: Path) -> Iterator[TextIO]:
    """Sends what the run says to a file."""
    logger = logging.getLogger("roqsim")
    with open(path, "w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        handler = logging.StreamHandler(log)
        handler.setFormatter(logging.Formatter("%(message)s"))
        before = (logger.level, logger.propagate)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        try:
            yield log
        finally:
            logger.removeHandler(handler)
            logger.level, logger.propagate = before


def _run(order: Order, folder: Path) -> dict[str, object]:
    config = load_target(order.target, overrides=order.overrides, sets=order.sets)
    with Engine(config, seed=order.seed, output_dir=folder) as engine:
        recording_of(order).attach(engine, folder)
        return _Watch(engine, order).run()


def recording_of(order: Order) -> RunOutput:
    """What a trial records; the environment has no say, for all trials share it.

    Raises:
        ConfigError: If the container is unknown.
    """
    record = None if order.record is None else Path(order.record)
    output = RunOutput(record=record, fps=order.capture_fps)
    output.check()
    return output


def check_readings(order: Order) -> None:
    """Makes sure that the first trial's world builds, and has everything that is read off it.

    Raises:
        RoqsimError: If it does not.
    """
    output = recording_of(order)
    config = load_target(order.target, overrides=order.overrides, sets=order.sets)
    with Engine(config, seed=order.seed, output_dir=Path(order.directory)) as engine:
        output.rate(engine.ctx.dt)
        watch = _Watch(engine, order)
        engine.reset()
        watch.read_all()


class _Watch:
    """Drives one engine from the due tick of one watched endpoint to the next."""

    def __init__(self, engine: Engine, order: Order) -> None:
        self._engine, self._ctx = engine, engine.ctx
        self._limit = Limits(order.seconds, order.steps).in_steps(engine.ctx.dt)
        self._measures = [Measure.parse(text) for text in order.measures]
        self._conditions = [Condition.parse(text) for text in order.until]
        readings = [each.reading for each in (*self._measures, *self._conditions)]
        self._tallies = {reading: Tally() for reading in readings}
        self._endpoints = {reading: reading.endpoint(engine.ctx) for reading in self._tallies}
        rates = [endpoint.rate for endpoint in self._endpoints.values()]
        self._periods = {1 if rate is None else rate.every_steps for rate in rates} - {0}

    def run(self) -> dict[str, object]:
        engine, ctx = self._engine, self._ctx
        engine.reset()
        self.read_all()
        held = self._held()
        while ctx.tick < self._limit and not ctx.stop_requested and held is None:
            tick = ctx.tick
            engine.advance(min([self._limit - tick, *(period - tick % period for period in self._periods)]))
            self._read(ctx.tick)
            held = self._held()
        if ctx.stop_requested:
            self.read_all()
        # Of several reasons the first one counts.
        ctx.request_stop(f"{held} holds" if held else limit_text(ctx.tick, ctx.sim_time))
        return {
            "status": FAILED if ctx.stop_failed else ENDED,
            "reason": ctx.stop_reason,
            "simulated": ctx.sim_time,
            "steps": ctx.tick,
            "measures": {str(each): json_value(each.of(self._tallies[each.reading])) for each in self._measures},
        }

    def read_all(self) -> None:
        """Reads everything, due or not: at the first tick, and once a component has ended the run."""
        for reading, endpoint in self._endpoints.items():
            self._tallies[reading].add(reading.of(endpoint.read()))

    def _read(self, tick: int) -> None:
        for reading, endpoint in self._endpoints.items():
            every = 1 if endpoint.rate is None else endpoint.rate.every_steps
            if every and tick % every == 0:
                self._tallies[reading].add(reading.of(endpoint.read()))

    def _held(self) -> Condition | None:
        return next((each for each in self._conditions if each.holds(self._tallies[each.reading].last)), None)


def read_result(folder: Path) -> dict[str, object] | None:
    """The result of a trial that was run; None where none was, or it did not come to its end."""
    try:
        return json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def crashed(order: Order, reason: str) -> dict[str, object]:
    """Takes down that a trial's process died."""
    result = _broken(reason)
    write_json(Path(order.directory) / RESULT, result)
    return result
