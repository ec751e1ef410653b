"""A bare scanner in the built-in room, and how often it measures."""

from __future__ import annotations

import pytest

TIMESTEP = 0.002


@pytest.fixture
def scanner(world):
    """Opens the room with one lidar, a metre above its middle: ``scanner(rays=4)`` gives engine and endpoint."""

    def make(*others: dict, sim: dict | None = None, seed: int | None = None, **config):
        lidar = {"pose": {"position": [0, 0, 1]}, "rate_hz": 50, **config}
        document = {"sim": {"timestep": TIMESTEP, **(sim or {})}, "components": [{"lidar": lidar}, *others]}
        engine = world(document, seed=seed)
        return engine, engine.ctx.interface.get("", "scan")

    return make


@pytest.fixture
def measurements(monkeypatch):
    """The ticks at which any sensor casts its rays."""
    from roqsim_sensors.rays.ray_sensor import RaySensor

    ticks: list[int] = []
    real = RaySensor.shoot

    def counted(sensor, ctx, *rows):
        ticks.append(ctx.tick)
        return real(sensor, ctx, *rows)

    monkeypatch.setattr(RaySensor, "shoot", counted)
    return ticks


@pytest.fixture
def carrier(world, tmp_path):
    """Opens a world with one entity ``bot`` made of MJCF: ``carrier(mjcf, *components, motion="static")``."""

    def make(mjcf: str, *components: dict, motion: str = "physics", sim: dict | None = None, seed=None, **spawn):
        (tmp_path / "bot.xml").write_text(f"<mujoco>{mjcf}</mujoco>")
        entry = {"spawn_model": {"model": "bot.xml", "motion": motion, **spawn}, "name": "bot"}
        document = {
            "sim": {"timestep": TIMESTEP, **(sim or {})},
            "components": [{**entry, "components": list(components)}],
        }
        return world(document, base_dir=tmp_path, seed=seed)

    return make
