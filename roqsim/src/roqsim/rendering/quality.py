"""How beautiful pictures are, and what that costs: shadows, reflections, samples."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco


@dataclass(frozen=True)
class Quality:
    """What is wanted; None leaves it to the device: MuJoCo's own values on a graphics card, off in software.

    In software GL a 640 x 480 picture with MuJoCo's values takes nine to thirteen times as long.

    Attributes:
        shadows: Whether lights cast shadows.
        reflections: Whether reflecting surfaces reflect.
        samples: Samples a pixel against jagged edges; 0 for none. The largest of all cameras holds for each of them.
        shadow_size: Edge of the shadow map in texels; the largest of all cameras holds for each of them.
        gpu: Whether to refuse to draw in software.
    """

    shadows: bool | None = None
    reflections: bool | None = None
    samples: int | None = None
    shadow_size: int | None = None
    gpu: bool = False

    @property
    def is_automatic(self) -> bool:
        """Whether anything is left to the device."""
        return None in (self.shadows, self.reflections, self.samples)

    def resolve(self, model: mujoco.MjModel, *, software: bool) -> Resolved:
        """The quality on a device.

        Args:
            model: Whose ``<visual>`` says what MuJoCo's own values are.
            software: Whether the device is the CPU.
        """
        own = model.vis.quality
        shadows = not software if self.shadows is None else self.shadows
        samples = (0 if software else int(own.offsamples)) if self.samples is None else self.samples
        size = int(own.shadowsize) if self.shadow_size is None else self.shadow_size
        return Resolved(
            shadows=shadows and size > 0,
            reflections=not software if self.reflections is None else self.reflections,
            samples=samples,
            shadow_size=size if shadows else 0,
        )


@dataclass(frozen=True)
class Resolved:
    """A quality without open questions; see ``Quality``."""

    shadows: bool
    reflections: bool
    samples: int
    shadow_size: int


@dataclass(frozen=True)
class Needs:
    """What the one GL context has to have for all cameras together.

    Attributes:
        width: Columns of the offscreen buffer.
        height: Rows of the offscreen buffer.
        samples: Samples a pixel.
        shadow_size: Edge of the shadow map in texels; 0 for none.
    """

    width: int = 1
    height: int = 1
    samples: int = 0
    shadow_size: int = 0

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            max(self.width, other.width),
            max(self.height, other.height),
            max(self.samples, other.samples),
            max(self.shadow_size, other.shadow_size),
        )

    def covers(self, other: Needs) -> bool:
        """Whether a context made for these needs serves the others too."""
        return self | other == self
