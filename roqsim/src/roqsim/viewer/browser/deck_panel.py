"""The part of the page that plays a recording: buttons, a slider over its time, a choice of speeds."""

from __future__ import annotations

from collections.abc import Callable

from roqsim.viewer.browser.studio import imgui
from roqsim.viewer.deck import SPEEDS


class DeckPanel:
    """Shows where a recording is, and sends what is asked for.

    Args:
        span: Simulated seconds of the first and the last sample.
        send: Sends a request to the run.
    """

    def __init__(self, span: tuple[float, float], send: Callable[..., None]) -> None:
        self._start, self._stop = span
        self._send = send
        self._format = f"%.2f of {self._stop:.2f} s"
        self._time, self._speed, self._paused = self._start, 1.0, False

    def take(self, time: float, speed: float, paused: bool) -> None:
        """Takes where it is; from any thread."""
        self._time, self._speed, self._paused = time, speed, paused

    def build(self) -> None:
        """Draws the panel."""
        if imgui.Button("Play" if self._paused else "Hold"):
            self._send("pause", not self._paused)
        for label, request in (("|<", "reset"), ("<", "back"), (">", "step")):
            imgui.SameLine()
            if imgui.Button(label):
                self._send(request)
        imgui.SetNextItemWidth(-1.0)
        changed, time = imgui.SliderFloat("##time", self._time, self._start, self._stop, self._format)
        if changed:
            self._time = time
            self._send("seek", time)
        names = [f"x {speed:g}" for speed in SPEEDS]
        nearest = min(range(len(SPEEDS)), key=lambda index: abs(SPEEDS[index] - self._speed))
        imgui.SetNextItemWidth(90.0)
        changed, place = imgui.Combo("speed", nearest, names)
        if changed:
            self._send("speed", SPEEDS[place])
