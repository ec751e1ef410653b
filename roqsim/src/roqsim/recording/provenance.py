"""What a recording knows of its run: enough to build the same world again, and to tell what has changed since."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from roqsim.config.entries import as_document
from roqsim.config.overrides import Assignment
from roqsim.json_value import json_value
from roqsim.mj.contacts import subtree
from roqsim.mj.layout import segments
from roqsim.mj.names import name_of
from roqsim.mj.state import can_move, size
from roqsim.recording.distributions import distributions_of, versions
from roqsim.recording.options import options_of
from roqsim.scene.sources import sources_of

if TYPE_CHECKING:
    from roqsim.config.world import SimConfig
    from roqsim.context import Endpoint, Entity, SimContext
    from roqsim.engine import Engine

FORMAT = "roqsim.recording"
FORMAT_VERSION = 1
"""What this version of roqsim writes, and the newest that it reads."""


def world_facts(config: SimConfig) -> dict[str, object]:
    """What there is to say of a world before it runs; the same for every episode."""
    files = [path for path in (*config.files, *sources_of(config)[0]) if path.is_file()]
    names = distributions_of(config, files)
    found = versions(names)
    document = config.document
    declared = {"sim": document.sim.plain(), "components": as_document(document.specs)} if document else config.raw
    return {
        "world": config.source,
        "declared": declared,
        "overrides": nested(config.overrides),
        "sim": config.raw["sim"],
        "components": as_document(config.plugins),
        "base_dir": str(config.base_dir),
        "base_dirs": {address: str(folder) for address, folder in config.base_dirs.items()},
        "versions": found,
        "packages": {name: found[name] for name in names if name in found},
        "inputs": hashes(files),
    }


def begin_facts(engine: Engine, world: Mapping[str, object], every_steps: int) -> dict[str, object]:
    """What is known at the begin of an episode.

    Args:
        engine: An engine right after its reset.
        world: What ``world_facts`` gave.
        every_steps: Ticks between two samples.
    """
    ctx = engine.ctx
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "complete": False,
        **json_value(dict(world)),
        "seed": ctx.seed,
        "episode": ctx.episode,
        "generations": engine.generations().plain(),
        "dt": ctx.dt,
        "every_steps": every_steps,
        "fps": 1.0 / (every_steps * ctx.dt),
        "state_size": size(ctx.model),
        "options": options_of(ctx.model),
        "state_fields": [dataclasses.asdict(segment) for segment in segments(ctx.model)],
        "manual_control": ctx.manual_control,
        "pace": ctx.pace,
        "endpoint_rates": [_rate(each) for each in ctx.interface.by_direction("out") if each.rate is not None],
        "actuator_tables": json_value(ctx.actuator_tables),
        "entities": entities(ctx),
        "started": datetime.now(UTC).isoformat(),
        "started_wall": time.time(),
        "started_monotonic": time.monotonic(),
        "start_tick": ctx.tick,
        "stop_reason": None,
        "stop_failed": None,
        "steps": None,
        "streams": [],
    }


def entities(ctx: SimContext) -> list[dict[str, object]]:
    """Every entity of a simulation, with the streams that are expected of it."""
    outs = ctx.interface.by_direction("out")
    return [
        {
            "name": entity.name,
            "kind": entity.kind,
            "body": "" if entity.body is None else name_of(ctx.model, "body", entity.body),
            "bodies": _bodies(ctx, entity),
            "fixed": entity.body is not None and not can_move(ctx.model, entity.body),
            "present": ctx.entities.is_present(entity),
            "address": entity.address,
            "carrier": entity.carrier.name if entity.carrier is not None else None,
            "namespace": entity.namespace,
            "endpoints": [_rate(each) for each in outs if each.owner == entity.name and each.rate is not None],
        }
        for entity in ctx.entities
    ]


def _bodies(ctx: SimContext, entity: Entity) -> list[str]:
    """The compiled names of an entity's bodies, its root first."""
    if not entity.body:
        return []
    found = (name_of(ctx.model, "body", body) for body in sorted(subtree(ctx.model, entity.body)))
    return [name for name in found if name]


def _rate(endpoint: Endpoint) -> dict[str, object]:
    rate = endpoint.rate
    return {
        "path": endpoint.path,
        "requested_hz": rate.requested_hz,
        "realised_hz": rate.realised_hz,
        "every_steps": rate.every_steps,
        "lazy": endpoint.lazy,
    }


class StreamCount:
    """What became of every stream in one episode, though the counters go on from one to the next."""

    def __init__(self, ctx: SimContext) -> None:
        self._ctx = ctx
        self._endpoints = ctx.interface.all()
        self._before = [self._numbers(each) for each in self._endpoints]
        self._is_over = False

    def end(self) -> None:
        """Says that the episode is over: what was due in it is among the counters now."""
        self._is_over = True

    def rows(self) -> list[dict[str, object]]:
        """The counters of this episode."""
        return [self._row(each, before) for each, before in zip(self._endpoints, self._before, strict=True)]

    def _row(self, endpoint: Endpoint, before: dict[str, object]) -> dict[str, object]:
        now = self._numbers(endpoint)
        row: dict[str, object] = {"path": endpoint.path, "direction": endpoint.direction}
        row.update({key: now[key] - before[key] for key in ("due", "produced", "published", "received")})
        if endpoint.direction == "out" and not self._is_over:
            row["due"] = endpoint.due(self._ctx.tick)
        dropped = {reason: count - before["dropped"].get(reason, 0) for reason, count in now["dropped"].items()}
        return {**row, "dropped": {reason: count for reason, count in dropped.items() if count}}

    @staticmethod
    def _numbers(endpoint: Endpoint) -> dict[str, object]:
        # Copied in one go, because the physics thread counts on meanwhile.
        counters, dropped = endpoint.counters, endpoint.counters.dropped.copy()
        names = ("due", "produced", "published", "received")
        return {**{name: getattr(counters, name) for name in names}, "dropped": dropped}


def nested(assignments: Sequence[Assignment]) -> dict[str, object]:
    """Overrides as one document that mirrors a world; of two for one place the later one holds."""
    document: dict[str, object] = {}
    for assignment in assignments:
        place = document
        for key in assignment.path[:-1]:
            inner = place.get(key)
            place[key] = place = inner if isinstance(inner, dict) else {}
        place[assignment.path[-1]] = assignment.value.plain()
    return document


def hashes(files: Sequence[Path]) -> dict[str, str]:
    """The SHA-256 of every file, by its absolute path; what cannot be read is left out."""
    found = {}
    for path in files:
        try:
            with path.open("rb") as file:
                found[str(path.absolute())] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            continue
    return found
