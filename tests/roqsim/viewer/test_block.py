from __future__ import annotations

import threading
import time

import mujoco
import numpy as np
import pytest
from roqsim.mj import state
from roqsim.viewer.block import NOTICE_BYTES, SEEN, Block

MJCF = """
<mujoco><worldbody>
  <geom name="floor" type="plane" size="5 5 1"/><light name="lamp" pos="0 0 3"/><site name="mark"/>
  <body name="ball" pos="0 0 1"><freejoint/><geom size="0.1" rgba="1 0 0 1"/><site name="s"/></body>
  <body name="target" mocap="true"/>
</worldbody></mujoco>
"""


@pytest.fixture
def pair(tmp_path):
    """A simulation's model and data with the writing side, and a second model with the reading side."""
    model = mujoco.MjModel.from_xml_string(MJCF)
    mirror = mujoco.MjModel.from_xml_string(MJCF)
    writer = Block(tmp_path / "block", model, create=True)
    reader = Block(tmp_path / "block", mirror, create=False)
    yield model, mujoco.MjData(model), writer, mirror, reader
    writer.close()
    reader.close()


def test_a_state_arrives_bit_for_bit(pair):
    model, data, writer, _, reader = pair
    mujoco.mj_step(model, data, 50)
    data.mocap_pos[0] = [1, 2, 3]
    data.xfrc_applied[1, 2] = 0.1
    writer.write(data, paused=True)
    out = np.empty(state.size(model))
    assert reader.read(out)
    np.testing.assert_array_equal(out, state.take(model, data))
    assert reader.paused
    writer.write(data, paused=False)
    assert not reader.paused


def test_what_can_be_seen_of_a_model_follows_it(pair):
    model, data, writer, mirror, reader = pair
    for name in SEEN:
        array = getattr(model, name)
        array[...] = (np.arange(array.size) % 5).reshape(array.shape)
    writer.write(data, paused=False)
    assert reader.read(np.empty(state.size(model)))
    for name in SEEN:
        np.testing.assert_array_equal(getattr(mirror, name), getattr(model, name), err_msg=name)


def test_writing_changes_no_bit_of_the_simulation(pair):
    model, data, writer, _, _ = pair
    twin = mujoco.MjData(model)
    for _ in range(20):
        mujoco.mj_step(model, data, 5)
        writer.write(data, paused=False)
        mujoco.mj_step(model, twin, 5)
    np.testing.assert_array_equal(state.take(model, data), state.take(model, twin))


def test_notices_are_counted_and_fit(pair):
    _, _, writer, _, reader = pair
    assert reader.notice == (0, "")
    writer.tell("größer")
    assert reader.notice == (1, "größer")
    writer.tell("ö" * NOTICE_BYTES)
    assert reader.notice == (2, "ö" * (NOTICE_BYTES // 2))
    writer.tell("x")
    assert reader.notice == (3, "x")


def test_a_reader_never_takes_halves_of_two_states(pair):
    model, data, writer, _, reader = pair
    done = threading.Event()

    def write():
        number = 0
        while not done.is_set():
            number += 1
            data.qpos[:] = data.qvel[0] = data.ctrl[:] = number
            writer.write(data, paused=False)
            time.sleep(1e-4)

    thread = threading.Thread(target=write)
    thread.start()
    out, copy, whole = np.empty(state.size(model)), mujoco.MjData(model), 0
    deadline = time.monotonic() + 30.0
    while whole < 200 and time.monotonic() < deadline:
        if reader.read(out):
            state.put(model, copy, out)
            assert len({*copy.qpos.tolist(), copy.qvel[0]}) == 1
            whole += 1
        time.sleep(0)
    done.set()
    thread.join()
    assert whole == 200


def test_a_reader_gives_up_on_a_writer_that_stopped_halfway(pair):
    model, data, writer, _, reader = pair
    writer.write(data, paused=False)
    writer._head[0] += 1
    assert not reader.read(np.empty(state.size(model)))
