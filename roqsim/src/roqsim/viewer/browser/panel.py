"""The run's own window on the page: what may be done, and the streams that somebody opens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from roqsim.viewer.browser.deck_panel import DeckPanel
from roqsim.viewer.browser.pace import Pace
from roqsim.viewer.browser.studio import App, imgui, implot

SAMPLES = 300
"""Readings that a plot of numbers keeps."""

PLOT_HEIGHT = 180.0
"""Height of a plot in pixels."""

SECTION = (
    int(imgui.TreeNodeFlags.Framed) | int(imgui.TreeNodeFlags.SpanAvailWidth) | int(imgui.TreeNodeFlags.DefaultOpen)
)
"""How Studio draws the heads of the sections on its left side, but open."""

WARNING = (1.0, 0.6, 0.2, 1.0)
"""Colour of a notice, RGBA."""

History = deque[tuple[float, float]]


class StreamPanel:
    """What is known of one open stream.

    Args:
        path: The endpoint's path.
        upload: Puts an RGB picture onto a texture: ``upload(texture, rgb, width, height)`` gives its id.
        pace: Tells whether a picture may go to the page.
    """

    def __init__(self, path: str, upload: Callable[[int, bytes, int, int], int], pace: Pace) -> None:
        self.path = path
        self._upload = upload
        self._pace = pace
        self._shown: tuple[object, ...] = ("text", "waiting for the first reading")
        self._history: dict[str, History] = {}
        self._texture = 0
        self._is_new = False

    def take(self, sim_time: float, shown: tuple[object, ...]) -> None:
        """Takes a reading; from any thread."""
        if shown[0] == "numbers":
            for name, value in shown[1].items():
                history = self._history.setdefault(name, deque(maxlen=SAMPLES))
                if history and history[-1][0] > sim_time:
                    history.clear()
                history.append((sim_time, value))
        self._shown = shown
        self._is_new = True

    def build(self) -> None:
        """Draws the content of the panel."""
        kind, *values = self._shown
        if kind == "picture":
            self._build_picture(*values)
        elif kind == "curve":
            self._build_curve(*values)
        elif kind == "numbers":
            self._build_numbers(*values)
        else:
            imgui.TextWrapped(str(values[0]))

    def _build_picture(self, width: int, height: int, rgb: bytes) -> None:
        if self._is_new and self._pace.admit(len(rgb)):
            self._is_new = False
            self._texture = self._upload(self._texture, rgb, width, height)
        if not self._texture:
            return
        room = max(imgui.GetContentRegionAvail().x, 64.0)
        imgui.Image(self._texture, imgui.Vec2(room, room * height / width))

    def _build_curve(self, values: list[float]) -> None:
        implot.SetNextAxesToFit()
        if implot.BeginPlot(f"##{self.path}", imgui.Vec2(-1.0, PLOT_HEIGHT)):
            implot.PlotLine("values", range(len(values)), values)
            implot.EndPlot()

    def _build_numbers(self, numbers: dict[str, float]) -> None:
        if implot.BeginPlot(f"##{self.path}", imgui.Vec2(-1.0, PLOT_HEIGHT)):
            newest = max((history[-1][0] for history in self._history.values()), default=0.0)
            implot.SetupAxes("simulated time (s)", "", 0, int(implot.AxisFlags.AutoFit.value))
            implot.SetupAxisLimits(implot.Axis.X1, newest - 0.1 * SAMPLES, max(newest, 1e-3), implot.Cond.Always)
            for name, history in self._history.items():
                samples = list(history)
                implot.PlotLine(name, [time for time, _ in samples], [value for _, value in samples])
            implot.EndPlot()
        for name, value in numbers.items():
            imgui.TextUnformatted(f"{name}  {value:.6g}")


class RunPanel:
    """A section in Studio's own window on the left, and one window for each open stream.

    Args:
        app: Studio's user interface.
        control: Whether the page may steer.
        streams: Path and description of each stream.
        send: Sends a request to the run.
        upload: Puts a picture onto a texture.
        deck: What plays a recording; None for a run.

    Attributes:
        paused: Whether the run is held.
        pace: Told of each frame that the page draws.
    """

    def __init__(
        self,
        app: App,
        control: bool,
        streams: Sequence[tuple[str, str]],
        send: Callable[..., None],
        upload: Callable[[int, bytes, int, int], int],
        deck: DeckPanel | None = None,
    ) -> None:
        self._deck = deck
        self._notice = ""
        self.paused = False
        self._app = app
        self._control = control
        self._streams = streams
        self._send = send
        self._upload = upload
        self._open: dict[str, StreamPanel] = {}
        self.pace = Pace()

    def take(self, path: str, sim_time: float, shown: tuple[object, ...]) -> None:
        """Takes a reading of a stream; from any thread."""
        panel = self._open.get(path)
        if panel is not None:
            panel.take(sim_time, shown)

    def offer(self, streams: Sequence[tuple[str, str]]) -> None:
        """Has other streams to choose from; those that are open and still there stay so. From any thread."""
        self._streams = streams
        known = {path for path, _ in streams}
        self._open = {path: panel for path, panel in self._open.items() if path in known}
        self._send("watch", list(self._open))

    def notify(self, notice: str) -> None:
        """Shows why something is refused; from any thread."""
        self._notice = self._app.status = notice

    def build(self) -> None:
        """Draws the windows."""
        if self._app.config.show_options:
            # A second Begin of Studio's own window adds to it.
            imgui.Begin("Options")
            if imgui.TreeNodeEx("Run" if self._deck is None else "Recording", SECTION):
                self._build_controls()
                self._build_list()
                imgui.TreePop()
            imgui.End()
        for place, panel in enumerate(list(self._open.values())):
            self._build_panel(place, panel)

    def _build_controls(self) -> None:
        if self._deck is not None:
            self._deck.build()
        elif self._control:
            self._build_buttons()
        else:
            imgui.TextUnformatted("read-only" + (", paused" if self.paused else ""))
        if self._notice:
            imgui.PushTextWrapPos(0.0)
            imgui.TextColored(imgui.Vec4(*WARNING), self._notice)
            imgui.PopTextWrapPos()

    def _build_buttons(self) -> None:
        if imgui.Button("Resume" if self.paused else "Pause"):
            self._send("pause", not self.paused)
        imgui.SameLine()
        if imgui.Button("Step"):
            self._send("step")
        imgui.SameLine()
        if imgui.Button("Reset"):
            self._send("reset")
        imgui.SameLine()
        if imgui.Button("Reload"):
            self._send("reload")
        imgui.SetItemTooltip("read the world file again")

    def _build_list(self) -> None:
        imgui.TextUnformatted("Streams:" if self._streams else "no streams")
        for path, doc in self._streams:
            changed, wanted = imgui.Checkbox(path, path in self._open)
            if doc:
                imgui.SetItemTooltip(doc)
            if changed:
                self._switch(path, wanted)

    def _switch(self, path: str, wanted: bool) -> None:
        if wanted:
            self._open[path] = StreamPanel(path, self._upload, self.pace)
        else:
            del self._open[path]
        self._send("watch", list(self._open))

    def _build_panel(self, place: int, panel: StreamPanel) -> None:
        imgui.SetNextWindowPos(imgui.Vec2(260.0 + 40.0 * place, 60.0 + 40.0 * place), imgui.Cond.FirstUseEver)
        imgui.SetNextWindowSize(imgui.Vec2(340.0, 290.0), imgui.Cond.FirstUseEver)
        expanded, stays = imgui.Begin(panel.path, True)
        if expanded:
            panel.build()
        imgui.End()
        if not stays:
            self._switch(panel.path, False)
