"""The containers of recordings: which suffix means which, and what they are written and read by."""

from __future__ import annotations

from pathlib import Path

from roqsim.errors import ConfigError, NotFoundError, RecordingError, os_reason, suggest
from roqsim.recording import mcap_source, npz_source, stream
from roqsim.recording.mcap_sink import McapSink
from roqsim.recording.npz_sink import NpzSink
from roqsim.recording.sink import Sink
from roqsim.recording.source import Source

SINKS = {".mcap": McapSink, ".npz": NpzSink}
"""What writes a suffix."""

WORLDS = (".yaml", ".yml", ".xml", ".mjcf")
"""What the files of worlds end in."""

USUAL = ("run.mcap", "run.npz", f"run.npz{stream.SUFFIX}")
"""What a run's recording is called as a rule."""


def sink_for(path: Path, where: str = "record") -> Sink:
    """What writes a recording.

    Args:
        path: The file; its suffix chooses.
        where: The option that named it; an error begins with it.

    Raises:
        ConfigError: The suffix is none of them.
    """
    kind = SINKS.get(path.suffix.lower())
    if kind is None:
        rule = f"{where}: expected a file that ends in {' or '.join(SINKS)}"
        raise ConfigError(f"{rule}, got {str(path)!r}; take {path.stem or 'run'}.mcap, or .npz for NumPy alone")
    return kind(path)


def numbered(path: Path, number: int) -> Path:
    """The file of the first, second, third episode: ``run.mcap``, ``run_2.mcap``, ``run_3.mcap``."""
    return path if number == 1 else path.with_name(f"{path.stem}_{number}{path.suffix}")


def read_source(path: Path) -> Source:
    """Reads a recording, whichever container it is in.

    Raises:
        NotFoundError: Nothing is there.
        RecordingError: It is no recording, or damaged.
    """
    path = locate(path)
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise RecordingError(f"{path}: expected a recording, got {os_reason(error)!r}") from error
    if head == mcap_source.MAGIC:
        return mcap_source.read_mcap(path)
    if head.startswith(npz_source.MAGIC):
        return npz_source.read_npz(path)
    if head == stream.MAGIC:
        return npz_source.read_stream(path)
    got = "an empty file" if not head else f"a file that begins with {head!r}"
    hint = "name a file that 'roqsim sim --record' wrote"
    if path.suffix.lower() in WORLDS and head:
        got, hint = "a world", f"'roqsim sim {path} --record run.mcap' makes one"
    raise RecordingError(f"{path}: expected a recording ({', '.join(SINKS)}), got {got}; {hint}")


def locate(path: Path) -> Path:
    """The file of a recording: what is named, the stream beside it, or the recording in a run directory.

    Raises:
        NotFoundError: Nothing is there.
        RecordingError: A directory holds none, or several.
    """
    if path.is_dir():
        return _in_directory(path)
    if path.exists():
        return path
    beside = path.with_name(path.name + stream.SUFFIX)
    if beside.is_file():
        return beside
    folder = path.parent
    near = [each.name for each in _candidates(folder)] if folder.is_dir() else []
    hint = suggest(path.name, near) if near else "check the path"
    raise NotFoundError(f"there is no recording {str(path)!r}; {hint}")


def _in_directory(folder: Path) -> Path:
    for name in USUAL:
        if (folder / name).is_file():
            return folder / name
    found = _candidates(folder)
    if len(found) == 1:
        return found[0]
    if not found:
        raise RecordingError(f"{folder}: expected a run directory with {' or '.join(USUAL[:2])}, got none of them")
    raise RecordingError(f"{folder}: expected one recording, got several; {suggest('', [each.name for each in found])}")


def _candidates(folder: Path) -> list[Path]:
    """The recordings in a folder, judged by their names; a stream counts where its recording is not there."""
    files = sorted(each for each in folder.iterdir() if each.suffix in (*SINKS, stream.SUFFIX) and each.is_file())
    return [
        each
        for each in files
        if each.name != "divergence.npz" and not (each.suffix == stream.SUFFIX and each.with_suffix("") in files)
    ]
