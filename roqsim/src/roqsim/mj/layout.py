"""What stands where in an integration state, and what its numbers are called."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from roqsim.mj.names import name_of
from roqsim.mj.state import INTEGRATION


@dataclass(frozen=True)
class Segment:
    """One quantity of an integration state.

    Attributes:
        name: The quantity as MuJoCo calls it in ``mjtState``, in small letters: ``qpos``, ``qvel``, ``act``, …
        start: Where it begins in the state.
        size: How many numbers it has.
    """

    name: str
    start: int
    size: int

    @property
    def rows(self) -> slice:
        """Its place in the state."""
        return slice(self.start, self.start + self.size)


def segments(model: mujoco.MjModel) -> list[Segment]:
    """The quantities of an integration state in their order; those without a number are left out."""
    found, start = [], 0
    members = sorted(mujoco.mjtState.__members__.items(), key=lambda pair: int(pair[1]))
    for name, member in members:
        bit = int(member)
        is_one_bit = bit and not bit & (bit - 1)
        if not is_one_bit or not bit & INTEGRATION or not name.startswith("mjSTATE_"):
            continue
        size = mujoco.mj_stateSize(model, bit)
        if size:
            found.append(Segment(name.removeprefix("mjSTATE_").lower(), start, size))
        start += size
    return found


def name_entry(model: mujoco.MjModel, index: int) -> str:
    """What a number of an integration state is, such as ``qvel[3] of joint 'left_wheel'``."""
    for segment in segments(model):
        if segment.start <= index < segment.start + segment.size:
            row = index - segment.start
            if segment.name == "time":
                return "time"
            owner = _owner(model, segment.name, row)
            return f"{segment.name}[{row}]" + (f" of {owner}" if owner else "")
    raise IndexError(f"expected an index below {mujoco.mj_stateSize(model, INTEGRATION)}, got {index}")


def _owner(model: mujoco.MjModel, quantity: str, row: int) -> str:
    """Whose number it is, or an empty text where it belongs to nothing with a name."""
    if quantity == "qpos":
        return _named(model, "joint", _last_at(model.jnt_qposadr, row))
    if quantity in ("qvel", "warmstart", "qfrc_applied"):
        return _named(model, "joint", int(model.dof_jntid[row]))
    if quantity == "ctrl":
        return _named(model, "actuator", _last_at(model.actuator_ctrladr, row))
    if quantity == "act":
        return _named(model, "actuator", _last_at(model.actuator_actadr, row))
    if quantity == "xfrc_applied":
        return _named(model, "body", row // 6)
    if quantity == "eq_active":
        return _named(model, "equality", row)
    if quantity in ("mocap_pos", "mocap_quat"):
        mocap = row // (3 if quantity == "mocap_pos" else 4)
        return _named(model, "body", int(np.flatnonzero(model.body_mocapid == mocap)[0]))
    return ""


def _last_at(addresses: np.ndarray, row: int) -> int:
    """The last element whose numbers begin at a row or before it; those without any have a negative address."""
    at = np.where(addresses <= row, addresses, -1)
    return int(np.flatnonzero(at == at.max())[-1])


def _named(model: mujoco.MjModel, kind: str, index: int) -> str:
    name = name_of(model, kind, index)
    if name:
        return f"{kind} {name!r}"
    if kind == "joint":
        body = name_of(model, "body", int(model.jnt_bodyid[index]))
        return f"a joint of body {body!r}" if body else f"joint number {index}"
    return f"{kind} number {index}"
