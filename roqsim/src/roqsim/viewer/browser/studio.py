"""MuJoCo Studio by one set of names, wherever a MuJoCo keeps it, and its web server within bounds.

Only the page's own process imports this: Studio puts hooks on logging, warnings and exceptions of its process.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable

try:
    from mujoco.studio import launch_thread, messages, plugin, sim, viewer_protocol, web_viewer
    from mujoco.studio.app import App
    from mujoco.studio.app import Config as AppConfig
    from mujoco.studio.dear_imgui import dear_imgui as imgui
    from mujoco.studio.implot import implot
    from mujoco.studio.web import web_server
except ModuleNotFoundError:
    from mujoco.experimental.dear_imgui import dear_imgui as imgui
    from mujoco.experimental.implot import implot
    from mujoco.experimental.studio import launch_thread, messages, plugin, sim, viewer_protocol, web_viewer
    from mujoco.experimental.studio.viewer_app import ViewerApp as App
    from mujoco.experimental.studio.viewer_app import ViewerAppConfig as AppConfig
    from mujoco.experimental.studio.web import web_server

__all__ = [
    "App",
    "AppConfig",
    "imgui",
    "implot",
    "launch_thread",
    "messages",
    "plugin",
    "serve_on",
    "sim",
    "viewer_protocol",
    "web_viewer",
]

Refusal = Callable[[str, str | None, str | None], str | None]
"""Why a request is turned away, by its path and its ``Host`` and ``Origin`` headers."""


class Paced:
    """A channel of Studio's page that tells of each message: a page that is seen sends one with each of its frames.

    Args:
        channel: The server's end of it.
        told: Called for each message.
    """

    def __init__(self, channel: object, told: Callable[[], None]) -> None:
        self._channel = channel
        self._told = told

    def __getattr__(self, name: str) -> object:
        return getattr(self._channel, name)

    async def __aiter__(self) -> AsyncIterator[object]:
        async for message in self._channel:
            self._told()
            yield message


def serve_on(listening: socket.socket, refusal: Refusal, drawn: Callable[[], None]) -> None:
    """Makes Studio's server use a socket that listens already, turn requests away, and tell how fast a page draws.

    Studio binds all interfaces itself and admits everybody; it has no setting for either.

    Args:
        listening: The socket.
        refusal: Asked about each request.
        drawn: Called for each frame that the page that holds the controls has drawn.
    """
    for name in ("bind_public_socket", "serve"):
        if not hasattr(web_server, name):
            raise ImportError(f"MuJoCo Studio's web server is of an unknown kind: it has no {name!r}")
    serve = web_server.serve

    def guarded(handler: Callable, *, process_request: Callable, **options: object) -> object:
        def admit(connection: object, request: object) -> object:
            host, origin = (next(iter(request.headers.get_all(name)), None) for name in ("Host", "Origin"))
            reason = refusal(request.path, host, origin)
            return process_request(connection, request) if reason is None else connection.respond(403, reason + "\n")

        def handle(channel: object) -> object:
            draws = channel.request.path.partition("?")[0] == "/ui"
            return handler(Paced(channel, drawn) if draws else channel)

        return serve(handle, process_request=admit, **options)

    web_server.bind_public_socket = lambda host, port=0: listening
    web_server.serve = guarded
