"""From a world's name to its geometry for a browser."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from roqsim.config.overrides import ENVIRONMENT
from roqsim.config.transport import drop_transport
from roqsim.config.world import SimConfig, load_config
from roqsim.destination import new_file
from roqsim.drivers.target import read_overrides
from roqsim.engine import Engine
from roqsim.export.web import export_web
from roqsim.scene.sources import sources_of

LOG = logging.getLogger("roqsim")


def export_scene(
    target: str,
    out: Path,
    *,
    overrides: Sequence[str] = (),
    sets: Sequence[str] = (),
    max_tex_dim: int = 1024,
    manifest: Path | None = None,
    overwrite: bool = False,
) -> dict[str, object]:
    """Builds a world, without its transport, and writes its geometry at the beginning of a run.

    Args:
        target: A world file, an MJCF file, or ``package:world``.
        out: The folder to write.
        overrides: Override files.
        sets: Assignments such as ``sim.timestep=0.001``.
        max_tex_dim: The most columns or rows of a texture.
        manifest: A file to list in it, as ``{"inputs": [...]}``, every file that the geometry was made from.
        overwrite: Whether a scene in the folder may be replaced.

    Returns:
        ``world`` as it was named, ``out``, and the counts that ``export_web`` gives.

    Raises:
        RoqsimError: The world is wrong, or the folder cannot be written.
    """
    config, _ = drop_transport(load_config(target, read_overrides(overrides, sets)))
    engine = Engine(config, preview=True)
    try:
        engine.setup()
        engine.reset()
        counts = export_web(engine.ctx, out, view=config.sim.view, max_tex_dim=max_tex_dim, overwrite=overwrite)
    finally:
        engine.shutdown()
    if manifest is not None:
        text = json.dumps({"inputs": [str(path) for path in _inputs(config, overrides)]}, ensure_ascii=False)
        with new_file(manifest, overwrite=True) as file:
            file.write_text(text + "\n", encoding="utf-8")
    return {"world": target, "out": str(out), **counts}


def _inputs(config: SimConfig, overrides: Sequence[str]) -> list[Path]:
    """Every file that a world was made from, those of installed packages included, as absolute paths."""
    sources, gaps = sources_of(config)
    for gap in gaps:
        LOG.warning("%s", gap)
    environment = os.environ.get(ENVIRONMENT)
    named = [*config.files, *sources, *overrides, *([environment] if environment else [])]
    return sorted({path for path in (Path(each).absolute() for each in named) if path.is_file()})
