"""Which of a succession of things something belongs to: a type for each kind, so that none is taken for another."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import ClassVar, Self


@functools.total_ordering
class Generation:
    """A count of one kind of thing; kinds are dataclasses with a field ``number``, whose fields are compared in order.

    Comparing two kinds is a mistake: also ``==`` raises TypeError.
    """

    kind: ClassVar[str]
    """How texts call it."""

    number: int

    def next(self) -> Self:
        """The one after this one."""
        return dataclasses.replace(self, number=self.number + 1)

    def __eq__(self, other: object) -> bool:
        return self._key() == self._key_of(other) if isinstance(other, Generation) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key() < self._key_of(other) if isinstance(other, Generation) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def _key(self) -> tuple[int, ...]:
        return dataclasses.astuple(self)

    def _key_of(self, other: Generation) -> tuple[int, ...]:
        if type(other) is not type(self):
            raise TypeError(f"expected a {self.kind} to compare with {self}, got {other}")
        return other._key()

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@dataclass(frozen=True, eq=False)
class ModelGeneration(Generation):
    """One compiled model with its state.

    Attributes:
        number: Counted from 1.
    """

    kind: ClassVar[str] = "model generation"
    number: int = 1


@dataclass(frozen=True, eq=False)
class PluginGeneration(Generation):
    """One set of components, configured for one model.

    Attributes:
        number: Counted from 1; 0 before the first set is configured.
    """

    kind: ClassVar[str] = "plugin generation"
    number: int = 0


@dataclass(frozen=True, eq=False)
class FrameGeneration(Generation):
    """One model with one set of cameras in the renderer.

    Attributes:
        number: Counted from 1.
    """

    kind: ClassVar[str] = "frame generation"
    number: int = 1


@dataclass(frozen=True, eq=False)
class OptionsEpoch(Generation):
    """One change of the physics options.

    Attributes:
        episode: The episode, counted by resets; 0 before the first one.
        number: The changes since its reset, counted from 0.
    """

    kind: ClassVar[str] = "options epoch"
    episode: int = 0
    number: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.episode}.{self.number}"


@dataclass(frozen=True)
class Generations:
    """All that are current in one engine.

    Attributes:
        model: The model and its state.
        plugins: The components.
        frames: The renderer's cameras; None before anything was to be drawn.
        options: The physics options; None before there are any.
    """

    model: ModelGeneration
    plugins: PluginGeneration
    frames: FrameGeneration | None = None
    options: OptionsEpoch | None = None

    def plain(self) -> dict[str, object]:
        """As plain data: numbers by ``model`` and ``plugins``."""
        return {"model": self.model.number, "plugins": self.plugins.number}

    def __str__(self) -> str:
        known = (self.model, self.plugins, self.frames, self.options)
        return ", ".join(str(each) for each in known if each is not None)
