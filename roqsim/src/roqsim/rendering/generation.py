"""Which layout of the renderer something belongs to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class FrameGeneration:
    """One model with one set of cameras; a type of its own, so that no other counter is taken for it.

    Attributes:
        number: Counted from 1.
    """

    number: int

    def next(self) -> FrameGeneration:
        """The generation after this one."""
        return FrameGeneration(self.number + 1)

    def __str__(self) -> str:
        return f"frame generation {self.number}"
