"""What a run leaves behind: its recording and the files beside it, as options and the environment ask for.

``ROQSIM_RECORD``, ``ROQSIM_CAPTURE_FPS``, ``ROQSIM_SIM_POSES``, ``ROQSIM_CAPTURE_EXPORT_DIR`` and
``ROQSIM_SCENE_EXPORT_DIR`` are read here, for every driver alike. A relative path starts at ``RUN_OUTPUT_DIR``, else
where the driver says, else in the working directory.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roqsim.destination import probe
from roqsim.errors import ConfigError, os_reason
from roqsim.rates import FLOAT_SLACK, Rate, snap

if TYPE_CHECKING:
    from roqsim.engine import Engine
    from roqsim.recording.sink import Sink

LOG = logging.getLogger("roqsim")

FPS = 25.0
"""Samples a simulated second where nothing is said, in Hz; every step where the physics is slower."""

POSES = "sim_poses.csv"
"""The table of poses."""

STREAM = ".stream"
"""What is behind the name of a recording that was killed."""

EXPORT = "ROQSIM_CAPTURE_EXPORT_DIR"
"""The variable that names the folder of a capture."""

CAPTURE = "capture.json"
"""What makes a folder the one of a capture."""

Directory = Path | str | Callable[[], Path | str | None] | None
"""A folder, or what names it once a run has begun."""


@dataclass
class RunOutput:
    """What is written of a run.

    Attributes:
        record: The recording, or None.
        fps: Samples a simulated second in Hz, or None for the usual rate.
        poses: Whether to write ``sim_poses.csv``.
        export: The folder for an exported capture of each recording, or None.
        scene: The folder for the world's geometry as a browser shows it, or None.
        base: Where relative paths start, whatever the driver says; None where it may say.
        record_source: The option or variable that named the recording.
        fps_source: The one that named the rate.
        given: How often each path was asked for by the engines of this process.
    """

    record: Path | None = None
    fps: float | None = None
    poses: bool = False
    export: Path | None = None
    scene: Path | None = None
    base: Path | None = None
    record_source: str = "--record"
    fps_source: str = "--capture-fps"
    given: Counter[Path] = field(default_factory=Counter, repr=False)

    @classmethod
    def from_environment(
        cls,
        record: str | None = None,
        capture_fps: float | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> RunOutput:
        """Reads the environment; what is given here wins over it.

        Args:
            record: The recording, or None.
            capture_fps: Samples a simulated second in Hz, or None.
            environ: The environment.

        Raises:
            ConfigError: A value is wrong, or goes with something that is not there.
        """
        if record == "":
            raise ConfigError("--record: expected the name of a file, got ''; write for example --record run.mcap")
        output = cls(
            record=Path(path) if (path := record or environ.get("ROQSIM_RECORD")) else None,
            fps=capture_fps,
            poses=_switch(environ, "ROQSIM_SIM_POSES"),
            export=Path(folder) if (folder := environ.get(EXPORT)) else None,
            scene=Path(folder) if (folder := environ.get("ROQSIM_SCENE_EXPORT_DIR")) else None,
            base=Path(folder) if (folder := environ.get("RUN_OUTPUT_DIR")) else None,
            record_source="--record" if record else "ROQSIM_RECORD",
        )
        if capture_fps is None and environ.get("ROQSIM_CAPTURE_FPS"):
            output.fps, output.fps_source = _number(environ, "ROQSIM_CAPTURE_FPS"), "ROQSIM_CAPTURE_FPS"
        output.check()
        return output

    def check(self) -> None:
        """Makes sure that it can be carried out, as far as that is known before a world is built.

        Raises:
            ConfigError: The container is unknown, or something goes with a recording and there is none.
        """
        if self.record is not None:
            from roqsim.recording.container import sink_for

            sink_for(self.record, self.record_source)
        elif self.fps is not None and not self.poses and self.fps_source == "--capture-fps":
            raise ConfigError("--capture-fps: expected something to record, got nothing; add --record FILE")
        if self.export is not None and self.record is None:
            raise ConfigError(f"{EXPORT}: expected a recording to export, got none; add --record FILE")

    def attach(self, engine: Engine, directory: Directory = None) -> None:
        """Lets an engine write from its next reset on; with nothing to write, nothing is attached.

        Args:
            engine: An engine that was set up.
            directory: Where relative paths start unless RUN_OUTPUT_DIR says; a callable is asked at the first step of
                each episode, for drivers that know it no earlier.

        Raises:
            ConfigError: The rate cannot be held, or a file cannot be made.
        """
        if self.record is None and not self.poses and self.scene is None:
            return
        rate = self.rate(engine.ctx.dt)
        is_lazy = callable(directory) and self.base is None
        episodes = Episodes(self, engine, directory)
        if self.scene is not None:
            from roqsim.drivers.scene_output import SceneOutput

            engine.observe(SceneOutput(lambda: episodes.folder() / self.scene, self.every_steps, is_lazy=is_lazy))
        if self.record is None and not self.poses:
            return
        from roqsim.recording.recorder import Recorder

        if not is_lazy:
            episodes.check()
        told = self.record if self.record is not None else POSES
        LOG.info("recording %s at %.6g Hz (every %d steps)", told, rate.realised_hz, rate.every_steps)
        engine.observe(Recorder(episodes.sinks, self.every_steps, is_lazy=is_lazy, finished=episodes.export))

    def every_steps(self, dt: float) -> int:
        """The ticks between two samples with a physics step of ``dt`` seconds; see ``rate``."""
        return self.rate(dt).every_steps

    def rate(self, dt: float) -> Rate:
        """How often samples are taken with a physics step of ``dt`` seconds.

        Raises:
            ConfigError: The step cannot hold the rate that is asked for.
        """
        if self.fps is None:
            return snap(min(FPS, 1.0 / dt), dt)
        if not 0.0 < self.fps <= (1.0 + FLOAT_SLACK) / dt:
            raise ConfigError(
                f"{self.fps_source}: expected a rate > 0 and <= {1.0 / dt:g} Hz (one physics step of {dt:g} s), "
                f"got {self.fps!r}"
            )
        return snap(self.fps, dt)


class Episodes:
    """The files of every episode of one engine; no two of a process have one name.

    Args:
        output: What is asked for.
        engine: The engine.
        directory: See ``RunOutput.attach``.
    """

    def __init__(self, output: RunOutput, engine: Engine, directory: Directory) -> None:
        self._output, self._engine, self._directory = output, engine, directory
        self._recording: Path | None = None
        self._export: Path | None = None

    def check(self) -> None:
        """Makes sure that the files of the first episode can be made; nothing is left behind.

        Raises:
            ConfigError: They can not; it says why.
        """
        folder = self.folder()
        from roqsim.recording.container import numbered

        output = self._output
        for path, source in self._planned(folder):
            _require_free(numbered(path, output.given[path] + 1), source)
        if output.export is not None:
            path = folder / output.export
            _require_free(numbered(path, output.given[path] + 1) / CAPTURE, EXPORT)

    def sinks(self, number: int) -> list[Sink]:
        """The files of the next episode.

        Raises:
            ConfigError: One of them is there already.
        """
        from roqsim.recording.clock_map import ClockMap
        from roqsim.recording.container import sink_for
        from roqsim.recording.poses import PoseTable
        from roqsim.recording.text_file import EntitiesFile

        output, folder = self._output, self.folder()
        found: list[Sink] = []
        if output.record is not None:
            path = self._recording = self._next(folder / output.record, output.record_source)
            clock = path.with_name(f"{path.stem}.clock_map.csv")
            _require_free(clock, output.record_source)
            found += [sink_for(path), ClockMap(clock)]
        if output.poses:
            found.append(PoseTable(self._next(self._poses(folder), "ROQSIM_SIM_POSES"), self._engine.ctx.model))
        beside = found[0].path.parent
        beside.mkdir(parents=True, exist_ok=True)
        if output.export is not None:
            self._export = self._next(folder / output.export, EXPORT)
        return [*found, EntitiesFile(beside / "entities.json")]

    def export(self) -> None:
        """Exports the capture of the recording that was just finished, where one is asked for."""
        if self._export is not None:
            from roqsim.export.capture import export_capture

            export_capture(self._recording, self._export)

    def folder(self) -> Path:
        """Where relative paths start."""
        if self._output.base is not None:
            self._output.base.mkdir(parents=True, exist_ok=True)
            return self._output.base
        directory = self._directory() if callable(self._directory) else self._directory
        return Path(directory or ".")

    def _planned(self, folder: Path) -> list[tuple[Path, str]]:
        output = self._output
        planned = [(folder / output.record, output.record_source)] if output.record is not None else []
        return [*planned, (self._poses(folder), "ROQSIM_SIM_POSES")] if output.poses else planned

    def _poses(self, folder: Path) -> Path:
        """The table of poses: beside the recording, where there is one."""
        return (folder / (self._output.record or POSES)).with_name(POSES)

    def _next(self, path: Path, source: str) -> Path:
        """The path for the next episode: the plain one first, then numbered."""
        from roqsim.recording.container import numbered

        self._output.given[path] += 1
        path = numbered(path, self._output.given[path])
        if source != EXPORT:
            _require_free(path, source)
        return path


def _require_free(path: Path, source: str) -> None:
    """Makes sure that nothing is at a path and that it can be written.

    Raises:
        ConfigError: Something is there, or it cannot be written.
    """
    for taken in (path, path.with_name(f"{path.name}{STREAM}")):
        if taken.exists():
            rule = f"{source}: expected a file that is not there yet, got {str(taken)!r}"
            raise ConfigError(f"{rule}, which is; remove it or take another name")
    try:
        probe(path)
    except OSError as error:
        reason = os_reason(error)
        raise ConfigError(
            f"{source}: expected a file that can be written, got {str(path)!r}: {reason}; take another path"
        ) from None


def _switch(environ: Mapping[str, str], name: str) -> bool:
    text = environ.get(name, "")
    if text.lower() in ("", "0", "false"):
        return False
    if text.lower() in ("1", "true"):
        return True
    raise ConfigError(f"{name}: expected 1 or 0, got {text!r}")


def _number(environ: Mapping[str, str], name: str) -> float:
    try:
        return float(environ[name])
    except ValueError:
        raise ConfigError(f"{name}: expected a rate > 0 in Hz, got {environ[name]!r}") from None
