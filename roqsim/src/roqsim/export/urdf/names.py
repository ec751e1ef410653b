"""Names of links and joints: those of the model without the robot's prefix, each used once."""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNFIT = re.compile(r"[^\w.-]+")


class Names:
    """Gives out names of one kind.

    Args:
        prefixes: What the model's names begin with and the exported ones don't; the first one that fits goes.
    """

    def __init__(self, *prefixes: str) -> None:
        self._prefixes = [prefix for prefix in prefixes if prefix]
        self._taken: set[str] = set()

    def reserve(self, names: Iterable[str]) -> None:
        """Keeps names for those who have them in the model."""
        self._taken.update(names)

    def plain(self, name: str) -> str:
        """A name of the model without the prefix."""
        prefix = next((prefix for prefix in self._prefixes if name.startswith(prefix)), "")
        return name.removeprefix(prefix)

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def take(self, wanted: str) -> str:
        """A name of its own: the wanted one, with a number where it is taken."""
        name, number = wanted, 1
        while name in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name


def file_name(name: str) -> str:
    """A name as the stem of a file and a part of a URI.

    >>> file_name("arm/left link")
    'arm_left_link'
    """
    return _UNFIT.sub("_", name).strip("_.") or "unnamed"
