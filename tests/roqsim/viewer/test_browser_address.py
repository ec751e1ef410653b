from __future__ import annotations

import socket

import pytest
from roqsim.errors import ConfigError
from roqsim.viewer.browser.address import FIRST_PORT, is_loopback, listen, refusal, url_of


def test_a_socket_listens_on_this_machine_alone():
    with listen("127.0.0.1", 0) as found:
        host, port = found.getsockname()
        assert (host, url_of(found)) == ("127.0.0.1", f"http://127.0.0.1:{port}/")
        with socket.create_connection((host, port), timeout=5):
            pass


def test_a_port_in_use_is_one_clear_error():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError) as error:
            listen("127.0.0.1", port)
    assert str(error.value) == (
        f"--browser: expected a free port, got {port}, which is in use; name another one, or none to have one chosen"
    )


def test_without_a_port_the_next_free_one_is_taken():
    with listen("127.0.0.1", None) as first, listen("127.0.0.1", None) as second:
        ports = [found.getsockname()[1] for found in (first, second)]
    assert ports[1] > ports[0] >= FIRST_PORT


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(ConfigError, match=f"^--browser-host: expected an address of this machine, got '{host}'; take"):
        listen(host, 0)


def test_the_url_of_all_interfaces_names_the_machine():
    with listen("0.0.0.0", 0) as found:
        assert url_of(found) == f"http://{socket.gethostname()}:{found.getsockname()[1]}/"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("app.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.0.2", False),
        ("localhost.example.org", False),
    ],
)
def test_loopback_names_are_told_from_others(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("path", "host", "origin", "local"),
    [
        ("/", "localhost:8080", None, True),
        ("/state?sid=4", "localhost:8080", "http://localhost:8080", True),
        ("/ui", "127.0.0.1:9", "http://127.0.0.1:9", True),
        ("/ui", "[::1]:9", "http://[::1]:9", True),
        ("/ui", "robot.lan:8080", "http://robot.lan:8080", False),
    ],
)
def test_the_page_itself_is_admitted(path, host, origin, local):
    assert refusal(path, host, origin, local=local) is None


@pytest.mark.parametrize(
    ("path", "host", "origin", "local", "reason"),
    [
        ("/ui", "localhost:8080", "http://evil.example", True, "got one from 'http://evil.example'"),
        ("/ui", "localhost:8080", "http://localhost:9090", True, "got one from"),
        ("/ui", "localhost:8080", "null", True, "got one from 'null'"),
        ("/state", "evil.example:8080", "http://evil.example:8080", True, "not to 'evil.example'"),
        ("/ui", "robot.lan", "http://evil.example", False, "got one from"),
        ("/drop", "localhost:8080", "http://localhost:8080", True, "model files are not taken"),
        ("/drop?sid=1", "localhost:8080", None, False, "model files are not taken"),
    ],
)
def test_what_another_site_made_up_is_turned_away(path, host, origin, local, reason):
    assert reason in refusal(path, host, origin, local=local)
