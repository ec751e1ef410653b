"""The process that writes a recording, driven by hand: what it does with requests that come in one go."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import mujoco
import pytest
from roqsim.context import SimContext
from roqsim.mj.state import size
from roqsim.recording import writer_process
from roqsim.recording.ring import Inlet, Rows

MODEL = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
)


class Counting:
    """A file that counts its samples."""

    def __init__(self, path):
        self.path, self.count = Path(path), 0

    def open(self, meta):
        self.path.write_text("0")

    def write(self, batch):
        self.count += len(batch)
        self.path.write_text(str(self.count))

    note = status = lambda self, content: None

    def flush(self):
        pass

    def close(self, meta):
        pass

    abandon = flush


PAUSE = object()
"""Nothing else has come by then."""


class Script:
    """A connection on which requests come in an order of one's own; a callable is called in the place of one."""

    def __init__(self, *requests):
        self._requests = list(requests)

    def poll(self, timeout=0.0):
        while self._requests and callable(self._requests[0]):
            self._requests.pop(0)()
        if timeout == 0.0 and self._requests and self._requests[0] is PAUSE:
            self._requests.pop(0)
            return False
        return True

    def recv(self):
        if not self._requests:
            raise EOFError
        return self._requests.pop(0)

    def send(self, answer):
        assert answer is None


@pytest.fixture
def rows(tmp_path, monkeypatch):
    rows = Rows(size(MODEL))
    monkeypatch.setattr(writer_process, "recv_handle", lambda _: os.dup(rows.file))
    monkeypatch.chdir(tmp_path)
    return rows


def recorded(rows, count):
    """An episode of some samples."""
    ctx = SimContext()
    ctx.model, ctx.data, ctx.dt = MODEL, mujoco.MjData(MODEL), MODEL.opt.timestep
    inlet = Inlet(rows, lambda: None, lambda: None)
    sample = inlet.sampler(ctx)
    for _ in range(count):
        sample(ctx)


def opened(name):
    return ("open", 0.002, pickle.dumps([Counting(name)]), {}, os.getcwd())


def test_an_episode_that_begins_at_once_gets_none_of_the_samples_before_it(rows):
    many = rows.batch + 5
    first = (("share", size(MODEL)), opened("first"), lambda: recorded(rows, many), PAUSE)
    second = (("finish", many, {}), lambda: recorded(rows, 0), opened("second"), PAUSE)
    writer_process.Service(Script(*first, *second)).run()
    assert Path("first").read_text() == str(many)
    assert Path("second").read_text() == "0"
