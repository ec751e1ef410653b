"""Editing a world while a window shows it: a key reads the file again."""

from __future__ import annotations

import contextlib
import threading

import pytest
from roqsim.config.world import load_config
from roqsim.drivers.runner import Limits, Runner
from roqsim.drivers.world_source import WorldSource
from roqsim.engine import Engine
from roqsim.viewer.window import Window

pytestmark = [pytest.mark.gl, pytest.mark.slow, pytest.mark.screen]

WORLD = """
sim: {timestep: 0.002, seed: 1}
components:
  - boxes:
      instances:
        - {name: crate, size: [0.4, 0.4, 0.4], pose: {position: {z: 1.0}}, rgba: [1, 0, 0, 1]}
"""

RED, GREEN = 0, 1


def has(picture, colour):
    """Whether there is anything on the screen that is of this colour and no other."""
    of_it = picture[:, :, colour].astype(int) > 120
    others = (picture[:, :, channel].astype(int) < 60 for channel in range(3) if channel != colour)
    for other in others:
        of_it &= other
    return bool(of_it.any())


def test_the_world_file_is_read_again_on_a_key_and_a_mistake_in_it_is_told(screen, until, tmp_path, caplog):
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    source = WorldSource(lambda: load_config(path))
    engine = Engine(source.load())
    engine.setup()
    seen = []

    def ask(holds, what):
        # A virtual screen may swallow a key while the window draws its first frames.
        for _ in range(5):
            screen.press("F11")
            with contextlib.suppress(AssertionError):
                return until(holds, what, patience=8.0)
        return until(holds, what)

    def edit():
        try:
            until(lambda: has(screen.picture(), RED), "a picture")
            path.write_text(WORLD.replace("size: [0.4", "siez: [0.4"))
            ask(lambda: "did you mean 'size'?" in caplog.text, "the mistake in the log")
            seen.append((engine.is_open, engine.generations().model.number))
            path.write_text(WORLD.replace("[1, 0, 0, 1]", "[0, 1, 0, 1]"))
            ask(lambda: has(screen.picture(), GREEN), "a green crate")
            seen.append((len(screen.windows()), engine.generations().model.number > 1))
        finally:
            engine.ctx.request_stop("seen")

    hand = threading.Thread(target=edit)
    hand.start()
    summary = Runner(engine, 1.0, Limits(seconds=200.0), views=[Window()], source=source).run()
    hand.join()
    assert (summary.reason, seen) == ("seen", [(True, 1), (1, True)])
    assert summary.episodes >= 2
