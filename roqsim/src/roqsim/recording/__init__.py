"""A run in a file: written while it runs, read back, restored and run again.

The public names load on first use::

    from roqsim.recording import open_recording

    recording = open_recording("run.mcap")
    engine = recording.rebuild()
    recording.restore(engine, recording.at(1.5))
"""

from __future__ import annotations

from roqsim.lazy import lazy_names

_HOMES = {
    "Event": "roqsim.recording.notes",
    "Input": "roqsim.recording.notes",
    "Recorder": "roqsim.recording.recorder",
    "Recording": "roqsim.recording.recording",
    "RecordingError": "roqsim.errors",
    "Sample": "roqsim.recording.recording",
    "open_recording": "roqsim.recording.recording",
    "record": "roqsim.recording.recorder",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
