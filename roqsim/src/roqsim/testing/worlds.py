"""A running world from a few lines of YAML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roqsim.config.world import load_config, load_config_from_dict
from roqsim.engine import Engine

TEST_SEED = 7
"""The seed of a test world that names none."""


def world(
    document: str | Mapping[str, object] | Path,
    *,
    base_dir: Path | str | None = None,
    overrides: object = None,
    seed: int | None = None,
    reset: bool = True,
    **engine_options: object,
) -> Engine:
    """Sets a world up and, unless told otherwise, resets it.

    Args:
        document: YAML text, a mapping, or the path or reference of a world file.
        base_dir: What relative paths in a text or mapping start from; the working directory by default.
        overrides: Applied as ``load_config`` applies them.
        seed: The run's seed; the world's own, else a fixed one.
        reset: Whether to reset the engine before it is handed over.
        engine_options: Passed on to ``Engine``.

    Returns:
        The engine; use it as a context manager or shut it down.
    """
    is_text = isinstance(document, str) and ("\n" in document or document.lstrip().startswith("{"))
    if is_text:
        from roqsim.config.nodes import loads

        document = loads(document, "world").plain() or {}
    if isinstance(document, Mapping):
        config = load_config_from_dict(dict(document), Path(base_dir or "."), overrides)
    else:
        config = load_config(document, overrides)
    if seed is None:
        seed = TEST_SEED if config.sim.seed is None else config.sim.seed
    engine = Engine(config, seed=seed, **engine_options)
    engine.setup()
    if reset:
        engine.reset()
    return engine
