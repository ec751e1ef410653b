"""Which hooks run at which tick: a pure function of the tick."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

NEVER = 2**62
"""A tick that no run reaches."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One hook of one plugin with its cadence.

    Attributes:
        address: The component's address.
        hook: ``pre_step`` or ``post_step``.
        every: Ticks between two calls; 1 for each tick.
        run: The bound hook.
        reads_derived: Whether derived quantities have to be current when it runs.
        writes: Whether it may write state or controls, which are looked at after it.
    """

    address: str
    hook: str
    every: int
    run: Callable[[object], None]
    reads_derived: bool
    writes: bool = True

    @property
    def who(self) -> str:
        """The hook as errors call it, such as ``robot.lidar.post_step``."""
        return f"{self.address}.{self.hook}" if self.address else self.hook


class Schedule:
    """The slots of one phase of the tick, in the order in which they run.

    Args:
        slots: Every hook of the phase; those with ``every == 0`` are left out, for they never run.

    Attributes:
        slots: The hooks that run at all.
        table: For each that is awake ``(every, run, reads_derived, slot)``: what a tick needs, without attribute
            look-ups.
        alarm: The first tick at which one that rests is to be put back.
    """

    def __init__(self, slots: list[Slot]) -> None:
        self.slots = tuple(slot for slot in slots if slot.every > 0)
        self._asleep: dict[str, int] = {}
        self._lock = threading.Lock()
        self._lay_out()

    def _lay_out(self) -> None:
        awake = [slot for slot in self.slots if slot.address not in self._asleep]
        self._periods = tuple(sorted({slot.every for slot in awake}))
        self.table = tuple((slot.every, slot.run, slot.reads_derived, slot) for slot in awake)
        self.alarm = min(self._asleep.values(), default=NEVER)

    def put_to_sleep(self, address: str, until: int = NEVER) -> None:
        """Leaves a component's hook out of the ticks before a tick; from any thread."""
        with self._lock:
            self._asleep[address] = until
            self._lay_out()

    def wake(self, address: str) -> None:
        """Puts a component's hook back where it was; from any thread."""
        with self._lock:
            if self._asleep.pop(address, None) is not None:
                self._lay_out()

    def ring(self, tick: int) -> None:
        """Puts back every hook whose time has come."""
        with self._lock:
            self._asleep = {address: until for address, until in self._asleep.items() if until > tick}
            self._lay_out()

    def due(self, tick: int) -> list[Slot]:
        """The slots that run at a tick."""
        return [slot for slot in self.slots if not tick % slot.every]

    def next_due(self, tick: int) -> int:
        """The first tick after this one at which anything that is awake runs, or is to be woken."""
        soonest = max(self.alarm, tick + 1)
        for period in self._periods:
            at = tick + period - tick % period
            if at < soonest:
                soonest = at
        return soonest
