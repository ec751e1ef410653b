"""Where the page is reached, and who may reach it: sockets, URLs, and requests that other web sites made up."""

from __future__ import annotations

import errno
import ipaddress
import socket
from urllib.parse import urlsplit

from roqsim.errors import ConfigError, Problem, os_reason

FIRST_PORT = 8080
"""The port that is tried first where none is asked for."""

TRIED_PORTS = 20
"""How many ports are tried from there on."""

NO_FILES = "this world comes from the file that was named at the start; model files are not taken"
"""What is said to whoever drops a file on the page."""

EVERYWHERE = ("", "0.0.0.0", "::")


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens, so that a port that is taken is known at once.

    Args:
        host: A name or address of this machine.
        port: 0 for any free one; None for the first free one from 8080 on.

    Raises:
        ConfigError: If the port is taken or not allowed, or the host is not this machine.
    """
    ports = range(FIRST_PORT, FIRST_PORT + TRIED_PORTS) if port is None else (port,)
    for candidate in ports:
        try:
            return _listen(host, candidate)
        except OSError as error:
            if port is None and error.errno == errno.EADDRINUSE:
                continue
            raise ConfigError(_problem(host, candidate, error)) from None
    raise ConfigError(
        Problem("--browser", f"a free port from {ports[0]} to {ports[-1]}", "none", hint="name one with --browser PORT")
    )


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen()
    except OSError:
        found.close()
        raise
    return found


def _problem(host: str, port: int, error: OSError) -> Problem:
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return Problem(
            "--browser-host",
            "an address of this machine",
            repr(host),
            hint="take 127.0.0.1, or 0.0.0.0 for all of them",
        )
    if error.errno == errno.EADDRINUSE:
        return Problem(
            "--browser", "a free port", f"{port}, which is in use", hint="name another one, or none to have one chosen"
        )
    reason = os_reason(error)
    return Problem("--browser", "a port to listen on", f"{port}: {reason}", hint="name another one")


def url_of(found: socket.socket) -> str:
    """What to type into a browser to reach a listening socket."""
    host, port = found.getsockname()[:2]
    if host in EVERYWHERE:
        host = socket.gethostname()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine alone."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refusal(path: str, host: str | None, origin: str | None, *, local: bool) -> str | None:
    """Why a request is turned away, or None.

    A web site that somebody has open must not steer a simulation on their machine: what a browser asks for has to come
    from the page itself, and a page that is served to this machine alone is asked for by a name of this machine.

    Args:
        path: What is asked for.
        host: The request's ``Host`` header.
        origin: Its ``Origin`` header, None where there is none.
        local: Whether the page is served to this machine alone.
    """
    if path.partition("?")[0] == "/drop":
        return NO_FILES
    name = urlsplit(f"//{host}").hostname if host else None
    if local and name is not None and not is_loopback(name):
        return f"this page is served to this machine alone, not to {name!r}"
    if origin is not None and urlsplit(origin).netloc != host:
        return f"expected a request from the page itself, got one from {origin!r}"
    return None
