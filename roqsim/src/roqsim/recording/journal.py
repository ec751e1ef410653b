"""Notes what happens to a simulation besides its steps, so that the run can be restored and run again.

Told apart are what a plugin's hook does, which a second run does by itself; what comes in through an endpoint, which is
recorded as an input; and what a command from outside does to the state, which is recorded as the numbers that it wrote.
Commands that did none of this are counted, because nobody can know what they changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from roqsim.context import Endpoint
from roqsim.engine.observation import origin
from roqsim.mj.state import size, take
from roqsim.recording.notes import OPTION, PRESENCE, STATE, Event, Input, Note
from roqsim.recording.options import options_of
from roqsim.recording.payload import to_plain
from roqsim.recording.switches import switches_of

if TYPE_CHECKING:
    from roqsim.context import SimContext


class Journal:
    """The notes of one episode.

    Args:
        ctx: A simulation right after a reset.
        count: Says how many samples were taken.
        noted: Called whenever there is something to take.

    Attributes:
        others: How many commands from outside did something that is not recorded, or nothing.
        first_other: The tick of the first of them, or None.
    """

    def __init__(self, ctx: SimContext, count: Callable[[], int], noted: Callable[[], None] = lambda: None) -> None:
        self.others = 0
        self.first_other: int | None = None
        self._ctx, self._count, self._tell = ctx, count, noted
        self._notes: deque[Note] = deque()
        self._noted = self._inputs = self._depth = 0
        self._noted_before = self._inputs_before = 0
        self._switches = switches_of(ctx)
        self._before, self._now = (np.empty(size(ctx.model)) for _ in range(2))
        self._known_tick = -1
        self._values: dict[tuple[str, str], object] = {}
        self._options = options_of(ctx.model)
        self._compare(outside=False)

    def watch(self) -> None:
        """Begins to take notes."""
        self._ctx.watchers = (*self._ctx.watchers, self)
        for endpoint in self._ctx.interface.by_direction("in"):
            endpoint.on_write = self._written

    def leave(self) -> None:
        """Ends it."""
        self._ctx.watchers = tuple(each for each in self._ctx.watchers if each is not self)
        for endpoint in self._ctx.interface.by_direction("in"):
            if endpoint.on_write == self._written:
                endpoint.on_write = None

    def take_notes(self) -> list[Note]:
        """What was noted since the last call."""
        return [self._notes.popleft() for _ in range(len(self._notes))]

    # As a watcher of the context

    def before_command(self, ctx: SimContext) -> None:
        """Keeps the state, to see what the command makes of it."""
        self._depth += 1
        if self._depth == 1:
            take(ctx.model, ctx.data, self._before)
            self._noted_before, self._inputs_before = self._noted, self._inputs

    def after_command(self, ctx: SimContext) -> None:
        """Notes what the command did."""
        self._depth -= 1
        if self._depth or origin().in_hook:
            return
        self._compare(outside=True)
        take(ctx.model, ctx.data, self._now)
        self._known_tick = ctx.tick
        written = np.flatnonzero(self._before.view(np.int64) != self._now.view(np.int64))
        if written.size and self._inputs == self._inputs_before:
            self._patch(written.tolist(), self._now[written])
        elif self._noted == self._noted_before:
            self._count_other()

    def changed(self, ctx: SimContext) -> None:
        """Notes what changed, and the whole state where a program wrote it between two steps."""
        place = origin()
        if place.in_hook:
            self._compare_entities(outside=False)
            return
        self._compare(outside=not place.writes)
        if place.writes or self._depth:
            return
        take(ctx.model, ctx.data, self._before)
        if self._known_tick != ctx.tick or self._before.tobytes() != self._now.tobytes():
            self._patch(None, self._before)
        self._now[:], self._known_tick = self._before, ctx.tick

    def _written(self, endpoint: Endpoint, payload: object) -> None:
        place = origin()
        if place.in_hook or place.writes > 1:
            return
        try:
            kind, fields = to_plain(payload)
        except TypeError:
            self._count_other()
            return
        self._inputs += 1
        self._note(Input(self._ctx.tick, endpoint.path, fields, kind, self._count()))

    # Notes

    def _compare_entities(self, *, outside: bool) -> None:
        """Notes who came or went, and what was switched: what a hook may do, as often as it likes."""
        for entity in self._ctx.entities:
            self._keep(PRESENCE, entity.name, entity.present, outside)
        for switch in self._switches:
            self._keep(switch.kind, switch.name, switch.is_active(), outside)

    def _compare(self, *, outside: bool) -> None:
        """Notes what of the world is not what it was."""
        ctx = self._ctx
        self._compare_entities(outside=outside)
        options = options_of(ctx.model)
        if options != self._options:
            for name, value in options.items():
                if value != self._options[name]:
                    self._note(Event(ctx.tick, OPTION, name, value, self._count(), outside))
            self._options = options

    def _keep(self, kind: str, name: str, value: object, outside: bool) -> None:
        if self._values.get((kind, name)) != value:
            self._values[kind, name] = value
            self._note(Event(self._ctx.tick, kind, name, value, self._count(), outside))

    def _patch(self, index: list[int] | None, values: np.ndarray) -> None:
        value = {"index": index, "value": values.tolist()}
        self._note(Event(self._ctx.tick, STATE, "", value, self._count(), True))

    def _count_other(self) -> None:
        self.others += 1
        self.first_other = self._ctx.tick if self.first_other is None else self.first_other

    def _note(self, note: Note) -> None:
        self._noted += 1
        self._notes.append(note)
        self._tell()
