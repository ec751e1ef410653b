"""Packed recordings are read in pieces: the same rows, in memory that does not grow with the file."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from roqsim.errors import RecordingError
from roqsim.recording import deflated
from roqsim.recording.npz_source import read_npz
from roqsim.recording.stream import sample_type

SIZE = 50


def packed(path: Path, count: int, *, seed: int | None = 0, save=np.savez_compressed) -> np.ndarray:
    """Writes a recording of so many samples; returns their states. Without a seed they are easy to compress."""
    samples = np.zeros(count, sample_type(SIZE))
    samples["tick"], samples["time"] = np.arange(count), 0.002 * np.arange(count)
    samples["state"] = np.arange(count)[:, None] if seed is None else np.random.default_rng(seed).random((count, SIZE))
    save(path, meta=np.array(json.dumps({"state_size": SIZE})), samples=samples)
    return samples["state"]


@pytest.mark.parametrize("count", [0, 1, 4096 + 877, 20_000])
@pytest.mark.parametrize("seed", [None, 1])
def test_every_row_comes_back_in_any_order(tmp_path, count, seed):
    states = packed(tmp_path / "run.npz", count, seed=seed)
    source = read_npz(tmp_path / "run.npz")
    assert source.ticks.tolist() == list(range(count))
    assert source.states.rows().tobytes() == states.tobytes()
    for index in np.random.default_rng(7).integers(0, max(count, 1), 40) if count else ():
        assert source.states.row(int(index)).tobytes() == states[index].tobytes()


def test_what_numpy_saved_without_compression_is_read_too(tmp_path):
    states = packed(tmp_path / "run.npz", 100, save=np.savez)
    assert read_npz(tmp_path / "run.npz").states.rows().tobytes() == states.tobytes()


def test_a_piece_is_read_again_although_the_file_was_opened_long_ago(tmp_path, monkeypatch):
    monkeypatch.setattr(deflated, "PIECE", 1000)
    states = packed(tmp_path / "run.npz", 300)
    source = read_npz(tmp_path / "run.npz")
    for index in (299, 0, 150, 299):
        assert source.states.row(index).tobytes() == states[index].tobytes()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_byte_that_was_changed_is_noticed(tmp_path, share):
    path = tmp_path / "run.npz"
    packed(path, 5000)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("samples.npy")
    content = bytearray(path.read_bytes())
    content[info.header_offset + int(share * info.compress_size)] ^= 0x55
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"run\.npz: expected a recording that is whole, got"):
        read_npz(path)


READER = """
import re, sys
from pathlib import Path
from roqsim.recording.npz_source import read_npz
source = read_npz(Path(sys.argv[1]))
total = sum(float(source.states.row(index)[0]) for index in range(len(source.states)))
print(total, re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for count in (100_000, 500_000):
        path = tmp_path / f"{count}.npz"
        packed(path, count, seed=None)
        run = subprocess.run([sys.executable, "-c", READER, path], capture_output=True, text=True, check=True)
        total, peak = map(float, run.stdout.split())
        assert total == count * (count - 1) / 2
        peaks.append(peak / 1024.0)
    # 160 MB of states more; the columns of ticks and times are 24 bytes a sample, twice while they are joined.
    assert peaks[1] - peaks[0] < 45.0
