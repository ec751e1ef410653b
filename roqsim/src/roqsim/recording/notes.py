"""What a recording tells besides its samples: changes of the world, and what was told to it from outside.

A note says after how many samples it was made, because several things may happen at one tick: what has ``samples`` of
5 came after the sample with index 4 and before the one with index 5.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

PRESENCE = "presence"
"""The kind of an event in which an entity appeared (True) or disappeared (False)."""

OPTION = "option"
"""The kind of an event in which a field of ``model.opt`` took another value."""

STATE = "state"
"""The kind of an event in which a command from outside wrote the state: ``{"index": [...], "value": [...]}``."""


@dataclass(frozen=True)
class Event:
    """Something about the world changed that the state does not hold, or somebody outside wrote the state.

    Attributes:
        tick: Steps since the reset.
        kind: ``presence``, ``option``, ``state``, or the kind of a switch: ``model_override``, ``sensor_fault``.
        name: The entity, the field, or the address of the switch.
        value: What it is from now on.
        samples: How many samples were taken before.
        outside: Whether a command from outside caused it, rather than a plugin or a recorded input.
    """

    tick: int
    kind: str
    name: str
    value: object
    samples: int = 0
    outside: bool = False


@dataclass(frozen=True)
class Input:
    """A payload that came in through an endpoint from outside.

    Attributes:
        tick: Steps since the reset.
        path: The endpoint, ``owner/name``.
        payload: The payload as plain data: its fields, or ``{"value": ...}`` for one without fields.
        type: ``module:Class`` for a dataclass, ``value`` for one without fields, else an empty text.
        samples: How many samples were taken before.
    """

    tick: int
    path: str
    payload: dict[str, object]
    type: str = ""
    samples: int = 0


Note = Event | Input


def to_line(note: Note) -> str:
    """A note as one line of JSON."""
    kind = "event" if isinstance(note, Event) else "input"
    return json.dumps({"note": kind, **asdict(note)}, ensure_ascii=False, separators=(",", ":"))


def from_line(line: str | bytes) -> Note:
    """A note from its line.

    Raises:
        ValueError: It is something else.
    """
    fields = json.loads(line)
    try:
        return {"event": Event, "input": Input}[fields.pop("note")](**fields)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"expected a note, got {line[:80]!r}") from error
