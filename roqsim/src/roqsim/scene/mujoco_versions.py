"""Which versions of MuJoCo the simulator may trust."""

from __future__ import annotations

OLDEST = (3, 17)
"""The first version with the batch API."""

TOO_NEW = (5,)
"""The first version that nobody has tried."""

KNOWN_BAD = {"4.0.0": "its sparse Cholesky factorisation is wrong, which bends large worlds; install 4.0.1 or newer"}
"""Versions that must not be used, with what is wrong and what to do."""


def complaint(version: str) -> str:
    """What is wrong with a version of MuJoCo.

    Args:
        version: Such as ``3.17.0``.

    Returns:
        The reason and what to do; empty where nothing is known against it.

    >>> complaint("3.17.0")
    ''
    """
    if reason := KNOWN_BAD.get(version):
        return reason
    numbers = tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
    if numbers < OLDEST:
        return f"it is older than {'.'.join(map(str, OLDEST))}; install a newer one"
    if numbers >= TOO_NEW:
        return f"roqsim is tried with versions before {TOO_NEW[0]} only; install one of those"
    return ""
