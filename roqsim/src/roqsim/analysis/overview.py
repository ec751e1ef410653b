"""What is in a recording, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roqsim.analysis.selection import recorded_rate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roqsim.recording import Recording

LISTED = 12
"""Names that are listed before the rest is counted."""


def overview(recording: Recording) -> dict[str, object]:
    """What there is to know without restoring a state.

    Returns:
        Plain values: ``recording``, ``world``, ``complete``, ``stop_reason``, ``stop_failed``, ``started``, ``seed``,
        ``episode``, ``dt`` (s), ``samples``, ``start``, ``stop``, ``duration`` (simulated s), ``rate_hz``, ``factor``
        (simulated seconds a wall second, None where nothing passed), ``steps``, ``size`` (bytes), ``versions``,
        ``entities``, ``streams``, ``events``, ``inputs``.
    """
    meta, times = recording.meta, recording.times
    factor = recording.real_time_factor
    return {
        "recording": str(recording.path),
        "world": meta.get("world"),
        "complete": recording.complete,
        "stop_reason": meta.get("stop_reason"),
        "stop_failed": meta.get("stop_failed"),
        "started": meta.get("started"),
        "seed": recording.seed,
        "episode": recording.episode,
        "dt": recording.dt,
        "samples": len(recording),
        "start": float(times[0]) if len(times) else None,
        "stop": float(times[-1]) if len(times) else None,
        "duration": float(times[-1] - times[0]) if len(times) else 0.0,
        "rate_hz": recorded_rate(recording),
        "factor": float(factor) if np.isfinite(factor) and factor > 0.0 else None,
        "steps": meta.get("steps"),
        "size": recording.path.stat().st_size if recording.path.is_file() else None,
        "versions": meta.get("versions"),
        "entities": meta.get("entities") or [],
        "streams": meta.get("streams") or [],
        "events": sum(event.samples > 0 for event in recording.events),
        "inputs": len(recording.inputs),
    }


def as_text(facts: Mapping[str, object]) -> str:
    """The overview for people."""
    lines = [
        ("recording", f"{facts['recording']}{_size(facts['size'])}"),
        ("world", facts["world"]),
        ("ended", _end(facts)),
        ("simulated", _span(facts)),
        ("samples", _samples(facts)),
        ("physics", f"step {facts['dt']:g} s, seed {facts['seed']}, episode {facts['episode']}"),
        ("versions", ", ".join(f"{name} {version}" for name, version in (facts["versions"] or {}).items())),
        ("entities", _names(_entity(each) for each in facts["entities"])),
        ("events", f"{facts['events']} changes of the world, {facts['inputs']} payloads from outside"),
    ]
    text = "\n".join(f"{name:<10}{value}" for name, value in lines if value)
    return "\n".join([text, *_streams(facts["streams"])])


def _size(size: object) -> str:
    return f" ({size / 1e6:.3g} MB)" if size else ""


def _end(facts: Mapping[str, object]) -> str:
    if not facts["complete"]:
        return "not on purpose: the file was not closed (it was killed, or is still running)"
    return f"{'failed: ' if facts['stop_failed'] else ''}{facts['stop_reason'] or 'on purpose'}"


def _span(facts: Mapping[str, object]) -> str:
    if not facts["samples"]:
        return "nothing"
    factor = f", {facts['factor']:.4g} x real time" if facts["factor"] else ""
    started = f", started {facts['started']}" if facts["started"] else ""
    return f"{facts['start']:.3f} to {facts['stop']:.3f} s{factor}{started}"


def _samples(facts: Mapping[str, object]) -> str:
    rate = f" at {facts['rate_hz']:.6g} Hz" if facts["rate_hz"] else ""
    return f"{facts['samples']}{rate}"


def _entity(entity: object) -> str:
    if not isinstance(entity, dict):
        return str(entity)
    kind = entity.get("kind")
    return f"{entity.get('name')}{f' ({kind})' if kind else ''}"


def _names(names: object) -> str:
    listed = list(names)
    more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    return ", ".join(listed[:LISTED]) + more


def _streams(streams: object) -> list[str]:
    if not streams:
        return []
    heads = ("stream", "due", "produced", "published", "dropped")
    rows = [heads, *((each["path"], *(_count(each.get(head)) for head in heads[1:])) for each in streams)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads))]
    return ["", *("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)]


def _count(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {reason}" for reason, count in value.items()) or "0"
    return "0" if value is None else str(value)
