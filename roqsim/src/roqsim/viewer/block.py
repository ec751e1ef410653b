"""The memory that simulation and window share: the newest state, and what of the model can be seen to change.

One side writes, the other reads, and neither waits: the writer counts up before and after, and a reader that meets an
odd or a changed count tries again.
"""

from __future__ import annotations

import mmap
from pathlib import Path

import mujoco
import numpy as np

from roqsim.mj import state

SEEN = (
    *("geom_rgba", "geom_group", "geom_size", "geom_pos", "geom_quat", "geom_contype", "geom_conaffinity"),
    *("site_rgba", "site_group", "site_size", "site_pos", "site_quat", "mat_rgba", "tendon_rgba"),
    *("light_active", "light_pos", "light_dir", "body_pos", "body_quat", "cam_pos", "cam_quat", "cam_fovy"),
)
"""The arrays of a model that are handed over with each state, so that what changes at run time is seen."""

NOTICE_BYTES = 512
"""Room for one notice, UTF-8."""

STATUS_BYTES = 128
"""Room for the line that says how things stand, UTF-8."""

ATTEMPTS = 20
"""How often a reader tries before it keeps the state that it has."""

COUNT, PAUSED, NOTICE = range(3)
"""What the whole numbers at the beginning of the block mean: writes begun or ended, paused or not, notices so far."""


class Block:
    """Shared memory for the states of one model.

    Args:
        path: The file behind it.
        model: The compiled model, the same on both sides.
        create: True on the writing side.
    """

    def __init__(self, path: Path, model: mujoco.MjModel, *, create: bool) -> None:
        self._model = model
        length = (
            8 * (3 + state.size(model))
            + NOTICE_BYTES
            + STATUS_BYTES
            + sum(_bytes(getattr(model, name)) for name in SEEN)
        )
        if create:
            path.write_bytes(bytes(length))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), length)
        self._head = np.frombuffer(self._memory, np.int64, 3)
        self._state = np.frombuffer(self._memory, np.float64, state.size(model), 24)
        start = 24 + self._state.nbytes
        self._notice = np.frombuffer(self._memory, np.uint8, NOTICE_BYTES, start)
        start += NOTICE_BYTES
        self._status = np.frombuffer(self._memory, np.uint8, STATUS_BYTES, start)
        start += STATUS_BYTES
        self._seen: list[tuple[np.ndarray, np.ndarray]] = []
        for name in SEEN:
            array = getattr(model, name)
            shared = np.frombuffer(self._memory, array.dtype, array.size, start).reshape(array.shape)
            self._seen.append((array, shared))
            start += _bytes(array)

    def write(self, data: mujoco.MjData, *, paused: bool, status: str = "") -> None:
        """Hands a state over; on the physics thread, in a few microseconds.

        Args:
            data: The state.
            paused: Whether the run is held.
            status: What stands above the picture instead of whether it is.
        """
        self._head[COUNT] += 1
        state.take(self._model, data, self._state)
        for array, shared in self._seen:
            shared[...] = array
        self._head[PAUSED] = paused
        if status:
            _write(self._status, status)
        self._head[COUNT] += 1

    def tell(self, text: str) -> None:
        """Puts a notice where the window shows it, in place of the last one."""
        self._head[COUNT] += 1
        _write(self._notice, text)
        self._head[NOTICE] += 1
        self._head[COUNT] += 1

    def read(self, out: np.ndarray) -> bool:
        """Takes the newest state into ``out`` and what is seen into the model.

        Returns:
            False if the writer was busy all the time; ``out`` may then hold halves of two states.
        """
        for _ in range(ATTEMPTS):
            count = int(self._head[COUNT])
            if count % 2:
                continue
            out[:] = self._state
            for array, shared in self._seen:
                array[...] = shared
            if int(self._head[COUNT]) == count:
                return True
        return False

    @property
    def paused(self) -> bool:
        """Whether the run was paused when it was handed over."""
        return bool(self._head[PAUSED])

    @property
    def notice(self) -> tuple[int, str]:
        """How many notices there were, and the last of them."""
        return int(self._head[NOTICE]), _read(self._notice)

    @property
    def status(self) -> str:
        """What stands above the picture instead of whether the run is paused; empty for nothing."""
        return _read(self._status)

    def close(self) -> None:
        """Lets go of the memory; the block can not be used afterwards."""
        self._head = self._state = self._notice = self._status = np.zeros(0)
        self._seen = []
        self._memory.close()


def _write(room: np.ndarray, text: str) -> None:
    encoded = text.encode()[: len(room)]
    room[:] = 0
    room[: len(encoded)] = np.frombuffer(encoded, np.uint8)


def _read(room: np.ndarray) -> str:
    return room.tobytes().rstrip(b"\0").decode(errors="ignore")


def _bytes(array: np.ndarray) -> int:
    """The room for an array, up to a multiple of eight so that the next one is aligned."""
    return -(-array.nbytes // 8) * 8
