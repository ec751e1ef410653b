"""What whoever starts a run says through the environment: a driver without a command line is told no other way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from roqsim.config.transport import Transport
from roqsim.errors import ConfigError, Problem

WORLD, SEED = "ROQSIM_WORLD", "ROQSIM_SEED"


@dataclass(frozen=True)
class Deployment:
    """How a run is deployed.

    Attributes:
        world: A world file, an MJCF file, or ``package:world``; None where nothing is said.
        seed: The seed of the run, or None.
        transport: What it is connected to, or None.
    """

    world: str | None = None
    seed: int | None = None
    transport: Transport | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Deployment:
        """Reads ``ROQSIM_WORLD``, ``ROQSIM_SEED`` and what ``Transport.from_environment`` reads.

        Raises:
            ConfigError: If one of them is wrong.
        """
        transport = Transport.from_environment(environment)
        return cls(environment.get(WORLD) or None, _seed(environment.get(SEED, "")), transport)


def _seed(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal():
        raise ConfigError(Problem(SEED, "an int >= 0", repr(text)))
    return int(text)
