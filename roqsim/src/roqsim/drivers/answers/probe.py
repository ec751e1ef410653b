"""Asks dangerous questions in a process of its own, which answers in lines of JSON.

``python -m roqsim.drivers.answers.probe QUESTION``. Importing MuJoCo with a broken GL library raises, and a broken GL
driver may end the whole process; whatever was answered before that is kept.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

TIMEOUT = 60.0
"""Seconds after which a question counts as unanswered."""

_SCENE = "<mujoco><worldbody><light pos='0 0 3'/><geom type='sphere' size='.5' rgba='1 0 0 1'/></worldbody></mujoco>"


@dataclass
class Answer:
    """What a probe said.

    Attributes:
        lines: Its answers.
        failure: Why it ended early; empty where it did not.
    """

    lines: list[dict[str, object]] = field(default_factory=list)
    failure: str = ""

    def value(self, key: str) -> object | None:
        """The value of a key in any line, or None."""
        return next((line[key] for line in self.lines if key in line), None)


def ask(question: str, environment: Mapping[str, str] | None = None) -> Answer:
    """Asks one question.

    Args:
        question: ``version``, ``gl`` or ``entries``.
        environment: Variables that differ from this process's.
    """
    command = [sys.executable, "-m", __spec__.name, question]
    variables = {**os.environ, **(environment or {})}
    try:
        run = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return Answer(failure=f"no answer within {TIMEOUT:g} s")
    said = Answer(list(_json_lines(run.stdout)))
    if run.returncode < 0:
        said.failure = f"the process was ended by {signal.Signals(-run.returncode).name}"
    elif run.returncode:
        said.failure = (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]
    return said


def _json_lines(text: str) -> Iterator[dict[str, object]]:
    """The whole lines of JSON in what a process printed, whatever else a library printed between them."""
    for line in text.splitlines():
        with suppress(ValueError):
            if isinstance(found := json.loads(line), dict):
                yield found


def _version() -> Iterator[dict[str, object]]:
    import mujoco

    yield {"package": mujoco.__version__, "library": mujoco.mj_versionString(), "file": mujoco.__file__}


def _gl() -> Iterator[dict[str, object]]:
    import mujoco

    yield {"backend": os.environ.get("MUJOCO_GL", "")}
    model = mujoco.MjModel.from_xml_string(_SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, 32, 32) as renderer:
        renderer.update_scene(data)
        picture = renderer.render()
        from OpenGL import GL

        words = (GL.glGetString(name) for name in (GL.GL_RENDERER, GL.GL_VERSION))
        renderer_name, version = (word.decode(errors="replace") for word in words)
        yield {"renderer": renderer_name, "version": version, "shows": bool(picture.max() > picture.min())}


def _entries() -> Iterator[dict[str, object]]:
    from roqsim.errors import RoqsimError
    from roqsim.providers import providers
    from roqsim.registry import COMMANDS, MODELS, OVERLAYS, PLUGINS, WORLDS, entries, resolve_plugin

    for group in (PLUGINS, COMMANDS, OVERLAYS):
        for entry in entries(group):
            try:
                resolve_plugin(entry.name) if group == PLUGINS else entry.load()
                reason = ""
            except RoqsimError as error:
                reason = str(error)
            yield {"group": group, "name": entry.name, "dist": entry.dist, "reason": reason}
    for group, attribute in ((MODELS, "MODELS_DIR"), (WORLDS, "WORLDS_DIR")):
        broken = providers(group, attribute)[1]
        for entry in entries(group):
            yield {"group": group, "name": entry.name, "dist": entry.dist, "reason": broken.get(entry.name, "")}


def answer(question: str) -> Iterator[dict[str, object]]:
    """Answers a question in this process, one line after the other."""
    yield from {"version": _version, "gl": _gl, "entries": _entries}[question]()


def main() -> None:
    """Answers the question in the arguments."""
    for line in answer(sys.argv[1]):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
