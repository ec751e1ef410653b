"""From what a recording knows of its world to an engine of it; the world's own file is not read."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import mujoco

from roqsim.config.transport import drop_transport
from roqsim.config.world import load_config_from_dict
from roqsim.engine import Engine
from roqsim.errors import LISTED_NAMES, RecordingError, RoqsimError
from roqsim.mj.state import size
from roqsim.recording.provenance import hashes

if TYPE_CHECKING:
    from roqsim.recording.recording import Recording

LOG = logging.getLogger("roqsim")


def rebuild(recording: Recording, *, preview: bool = False) -> Engine:
    """An engine of the recorded world, without its transport, reset to the recorded seed and episode.

    Raises:
        RecordingError: Something that the world is made of is missing; it says what.
    """
    meta = recording.meta
    changed = changed_inputs(recording)
    if changed:
        LOG.warning("%s: other than when it was recorded: %s", recording.path, _listed(changed))
    raw = {"sim": meta["sim"], "components": meta["components"]}
    engine = None
    try:
        config = load_config_from_dict(
            raw, meta["base_dir"], source=meta["world"], base_dirs=meta["base_dirs"], is_complete=True
        )
        config, _ = drop_transport(config)
        engine = Engine(config, seed=recording.seed, preview=preview, manual_control=bool(meta["manual_control"]))
        with _told_before():
            engine.setup()
            engine.reset(episode=recording.episode)
    except RoqsimError as error:
        raise RecordingError(
            f"{recording.path}: expected to build its world again, got {_reason(meta, error)}"
        ) from error
    _check(recording, engine)
    return engine


@contextmanager
def _told_before() -> Iterator[None]:
    """Keeps a world from announcing again what it announced when the run began; its warnings count."""
    level = LOG.level
    LOG.setLevel(max(LOG.getEffectiveLevel(), logging.WARNING))
    try:
        yield
    finally:
        LOG.setLevel(level)


def _check(recording: Recording, engine: Engine) -> None:
    """Makes sure that the states of the recording fit the model."""
    wanted, got = int(recording.meta["state_size"]), size(engine.ctx.model)
    if wanted != got or recording.dt != engine.ctx.dt:
        engine.shutdown()
        by = recording.meta["versions"].get("mujoco")
        raise RecordingError(
            f"{recording.path}: expected a world with states of {wanted} numbers and a step of {recording.dt:g} s, "
            f"got {got} numbers and {engine.ctx.dt:g} s; it was recorded with MuJoCo {by}, this is {mujoco.__version__}"
        )


def _reason(meta: dict[str, object], error: RoqsimError) -> str:
    missing = [name for name in meta["packages"] if not _is_installed(name)]
    hint = "".join(f"; install {name} {meta['packages'][name]}" for name in missing)
    return f"{str(error).strip()}{hint}"


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def changed_inputs(recording: Recording) -> list[str]:
    """The input files that are other than when the run was recorded, or gone."""
    recorded = recording.meta.get("inputs") or {}
    now = hashes([Path(path) for path in recorded])
    return [path for path, digest in recorded.items() if now.get(path) != digest]


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - LISTED_NAMES} more" if len(paths) > LISTED_NAMES else ""
    return ", ".join(paths[:LISTED_NAMES]) + more
