"""Commands over the physics options: gravity, wind, the solver, contacts and the like, while the world runs."""

from __future__ import annotations

from dataclasses import dataclass

from roqsim.context import Endpoint, SimContext
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin
from roqsim.runtime_options import OptionsSnapshot, RuntimeOptions

ROOT = "sim/options"
"""The owner of the endpoints."""


@dataclass(frozen=True, kw_only=True)
class OptionControlConfig:
    """Nothing to say."""


class OptionControl(Plugin):
    """Offers ``sim/options/set``, which takes a mapping of options to values, and ``sim/options/current``.

    A command changes all that it names or, with one mistake in it, nothing; the answer is what holds then. A reset goes
    back to what the world declares.
    """

    Config = OptionControlConfig
    reads_derived = False

    def configure(self, ctx: SimContext) -> None:
        """Offers command and state."""
        self._options = RuntimeOptions.of(ctx)
        ctx.interface.add(
            Endpoint("set", "in", ROOT, write=self._set, doc="Changes physics options: a mapping of names to values.")
        )
        ctx.interface.add(
            Endpoint(
                "current",
                "out",
                ROOT,
                read=self._options.snapshot,
                rate_hz=0.0,
                reads_derived=False,
                doc="The physics options that hold now.",
            )
        )

    def _set(self, payload: object) -> OptionsSnapshot:
        if isinstance(payload, OptionsSnapshot):
            payload = payload.values()
        if not hasattr(payload, "items"):
            raise RoqsimError(f"{ROOT}/set: expected a mapping of options to their values, got {payload!r}")
        return self._options.patch(payload, f"{ROOT}/set")
