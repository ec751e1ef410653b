"""The packages of this project beside the core: what to do where one of them is not installed.

A reference such as ``roqsim_mobile:turtlebot4`` names the package that it comes with. A plain name does not, and
nothing that is installed knows what another package would bring, so an answer about one names every package that is
not there.
"""

from __future__ import annotations

from importlib.util import find_spec

PACKAGES = {"roqsim_mobile": "ground robots", "roqsim_sensors": "sensors"}
"""The packages and what each of them brings."""


def is_installed(package: str) -> bool:
    """Whether a package of this project can be imported; a folder of its name is none."""
    spec = find_spec(package)
    return spec is not None and spec.has_location


def how_to_install(package: str) -> str:
    """What to do about a package that a reference names; empty where it is installed or none of this project."""
    if package not in PACKAGES or is_installed(package):
        return ""
    return f"it is not installed; install it with: pip install {package}"


def who_may_bring_it() -> str:
    """Which packages are not installed, so that one of them may bring what nothing else does; empty where all are."""
    missing = [package for package in PACKAGES if not is_installed(package)]
    if not missing:
        return ""
    named = " and ".join(f"{package} ({PACKAGES[package]})" for package in missing)
    verb = (
        "are not installed, and one of them may bring it" if len(missing) > 1 else "is not installed and may bring it"
    )
    return f"{named} {verb}: pip install {' '.join(missing)}"
