"""Renews the pictures of the manual: ``make pictures``, or this file with the names of some of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "images"

WORLD, MODEL = ["--size", "1120x630"], ["--size", "800x600"]

PICTURES = {
    "turtlebot4_room": [
        *("roqsim_mobile:turtlebot4_room", "--at", "7", *WORLD),
        *("--view", "azimuth=97", "elevation=-50", "distance=7.3", "lookat=0.05,-0.15,0.1"),
    ],
    "husky_yard": [
        *("roqsim_mobile:husky_yard", "--at", "7", *WORLD),
        *("--view", "azimuth=122", "elevation=-23", "distance=8", "lookat=3.3,-0.5,0.1"),
    ],
    "ridgeback_aisles": [
        *("roqsim_mobile:ridgeback_aisles", "--at", "5.5", *WORLD),
        *("--view", "azimuth=118", "elevation=-35", "distance=8", "lookat=0.1,-0.7,0.3"),
    ],
    "two_robots": [
        *("roqsim_mobile:two_robots", "--at", "4", *WORLD),
        *("--view", "azimuth=125", "elevation=-26", "distance=4.4", "lookat=0.1,-0.1,0.1"),
    ],
    "turtlebot4": ["turtlebot4", *MODEL],
    "husky_a200": ["husky_a200", *MODEL],
    "ridgeback": ["ridgeback", *MODEL],
    "turtlebot3_waffle": ["turtlebot3_waffle", *MODEL],
}
"""By name: what ``roqsim render`` is told."""


def main(names: list[str]) -> int:
    """Makes the pictures of these names, or all of them; returns the exit status of the first that fails."""
    unknown = set(names) - set(PICTURES)
    if unknown:
        print(f"expected names of {', '.join(PICTURES)}, got {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    for name in names or PICTURES:
        command = [Path(sys.executable).with_name("roqsim"), "render", *PICTURES[name], "--out", IMAGES / f"{name}.jpg"]
        status = subprocess.run(command).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
