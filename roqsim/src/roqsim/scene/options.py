"""The ``sim`` block as MuJoCo's options: what the document states is set, everything else stays as it is."""

from __future__ import annotations

import mujoco

from roqsim.config.sim import LONGEST_STEP, SHORTEST_STEP, ContactOverride, SimOptions, View, check_contact_floor
from roqsim.errors import ConfigError
from roqsim.mj import contact_override
from roqsim.mj.options import NAMED, number_of

PLAIN = ("timestep iterations ls_iterations noslip_iterations impratio gravity density viscosity wind").split()
"""Options that are stated as MuJoCo holds them."""


def stated_options(sim: SimOptions) -> set[str]:
    """The option fields that the document states, by MuJoCo's names."""
    names = {name for name in (*PLAIN, *NAMED) if getattr(sim, name) is not None}
    override = sim.contact_override
    if override is not None:
        names |= {f"o_{name}" for name in contact_override.FIELDS if getattr(override, name) is not None}
        names |= {"enableflags.override"}
    return names


def apply_options(spec: mujoco.MjSpec, sim: SimOptions) -> None:
    """Writes the ``sim`` block into a world's options and view.

    Raises:
        ConfigError: If the step, wherever it comes from, is no step, or too long for a contact time constant.
    """
    for name in PLAIN:
        value = getattr(sim, name)
        if value is not None:
            setattr(spec.option, name, value)
    for name in NAMED:
        value = getattr(sim, name)
        if value is not None:
            setattr(spec.option, name, number_of(name, value))
    _check_step(float(spec.option.timestep))
    if sim.contact_override is not None:
        _override_contacts(spec, sim.contact_override)
    if sim.view is not None:
        _set_view(spec, sim.view)
    if sim.name is not None:
        spec.modelname = sim.name
    # A state that diverged ends the run with a report; MuJoCo would start it over without one.
    spec.option.disableflags = int(spec.option.disableflags) | int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)


def _check_step(step: float) -> None:
    """Holds the step of a world's own file, or of a component, to the bounds of ``sim.timestep``."""
    if not SHORTEST_STEP <= step <= LONGEST_STEP:
        rule = f"a physics step from {SHORTEST_STEP:g} to {LONGEST_STEP:g} s"
        raise ConfigError(f"sim.timestep: expected {rule}, got {step!r} from the world; state one here")


def _override_contacts(spec: mujoco.MjSpec, override: ContactOverride) -> None:
    check_contact_floor(override, float(spec.option.timestep))
    stated = {name: value for name, value in vars(override).items() if value is not None}
    contact_override.set_parameters(spec.option, stated)
    if stated:
        contact_override.switch(spec.option, True)


def _set_view(spec: mujoco.MjSpec, view: View) -> None:
    """Turns MuJoCo's own camera; its distance follows the extent, which clip planes and shadows need as it is."""
    if view.lookat is not None:
        spec.stat.center = view.lookat
    if view.azimuth is not None:
        spec.visual.global_.azimuth = view.azimuth
    if view.elevation is not None:
        spec.visual.global_.elevation = view.elevation
