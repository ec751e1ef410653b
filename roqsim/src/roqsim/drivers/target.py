"""From what a user names on a command line to a loaded world."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

from roqsim.config.overrides import Assignment, from_environment, from_file, from_set
from roqsim.config.transport import Transport, drop_transport_plugins
from roqsim.config.world import SimConfig, load_config
from roqsim.errors import ConfigError, Message, Problem

LOG = logging.getLogger("roqsim")


def load_target(
    target: str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    sets: Sequence[str] = (),
    ros: bool = False,
    no_communication: bool = False,
    tf_namespace: str | None = None,
    sim_control: bool = False,
) -> SimConfig:
    """Loads a world as ``roqsim sim`` and its sisters do.

    Values are overridden in this order, later ones winning: the file that ROQSIM_WORLD_OVERRIDES names, the override
    files, the single assignments.

    Args:
        target: A world file, an MJCF file, or ``package:world``.
        overrides: Override files.
        sets: Assignments such as ``sim.timestep=0.001``.
        ros: Append the ROS 2 bridge.
        no_communication: Leave out every transport.
        tf_namespace: Publish transforms under this namespace; implies ``ros``.
        sim_control: Serve simulation_interfaces; implies ``ros``.

    Raises:
        RoqsimError: If the world, an override or the combination of options is wrong.
    """
    connected = ros or sim_control or tf_namespace is not None
    if connected and no_communication:
        raise ConfigError(
            "--no-communication: expected to stand without --ros, --tf-namespace and --sim-control; take one"
        )
    transport = Transport(ros=ros, tf_namespace=tf_namespace, sim_control=sim_control) if connected else None
    config = load_config(target, read_overrides(overrides, sets), transport=transport)
    if not no_communication:
        return config
    config, dropped = drop_transport_plugins(config)
    if dropped:
        LOG.warning("without %s: the run publishes and receives nothing", ", ".join(dropped))
    return config


def read_overrides(files: Sequence[str], sets: Sequence[str]) -> list[Assignment]:
    """The assignments of the environment, of files and of single texts, in the order in which they apply.

    Raises:
        ConfigError: With the mistakes of all of them.
    """
    found: list[Assignment] = []
    problems: list[Problem | Message] = []
    for read, sources in ((lambda _: from_environment(), [None]), (from_file, files), (from_set, sets)):
        for source in sources:
            try:
                found += read(source)
            except ConfigError as error:
                problems += error.problems
    if problems:
        raise ConfigError(problems)
    return found
