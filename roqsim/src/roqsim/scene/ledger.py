"""Who added which element, so that a compile error can name the component rather than an element nobody wrote."""

from __future__ import annotations

import re

import mujoco

from roqsim.errors import BuildError
from roqsim.mj.attach import ADDED_BY, elements, mark

WORLD = "sim.world"
"""The owner of what the world definition brings."""

PLURALS = {"body": "bodies", "mesh": "meshes", "equality": "equalities", "flex": "flexes"}
"""The list of a kind of element, where it is not the kind with an s."""

_OWNER = re.compile(rf"{ADDED_BY} '([^']*)'")
_ELEMENT = re.compile(r"^Element name '([^']*)'", re.MULTILINE)
_REPEATED = re.compile(r"repeated name '([^']*)' in (\w+)")
_PLACE = re.compile(r", id -?\d+, (.+?:\d+)(?:, added by|$)", re.MULTILINE)
_FILE = re.compile(r"file '([^']*)'")


class Ledger:
    """Marks the elements of a world with the component that added them.

    An attached model marks its own elements, which is why a component that only attaches costs nothing here.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self._spec = spec
        self._unread: str | None = None
        self._mark_all(WORLD)

    def _mark_all(self, owner: str) -> None:
        for element in elements(self._spec):
            mark(element, owner)

    def before(self, attaches: bool) -> None:
        """To be called before a component builds.

        Args:
            attaches: Whether the component is of the kind that attaches models.
        """
        if self._unread is not None and not attaches:
            self._mark_all(self._unread)
            self._unread = None

    def after(self, address: str, attached: bool) -> None:
        """To be called after a component built.

        Args:
            address: The component's address.
            attached: Whether it attached models, which are marked already.
        """
        if attached:
            self._unread = address
        else:
            self._mark_all(address)
            self._unread = None


def compile_error(spec: mujoco.MjSpec, error: Exception) -> BuildError:
    """MuJoCo's reason with the component whose element it is about."""
    text = str(error)
    reason = text.splitlines()[0].removeprefix("Error: ")
    if (repeated := repeated_name(spec, error)) is not None:
        return repeated
    owner, element = _OWNER.search(text), _ELEMENT.search(text)
    address = owner.group(1) if owner else _owner_of_file(spec, reason) or WORLD
    name = f" (element {element.group(1)!r})" if element and element.group(1) else ""
    place = place_of(text)
    at = f" at {place}" if place else ""
    return BuildError(f"{address}: expected a model that compiles, got {reason!r} from MuJoCo{name}{at}")


def place_of(text: str) -> str:
    """The file and line of the element that MuJoCo's error is about, where a note on it says so; else empty."""
    place = _PLACE.search(text)
    return place.group(1) if place else ""


def repeated_name(spec: mujoco.MjSpec, error: Exception, adding: str = "") -> BuildError | None:
    """The error about two elements of one name: the later component is told whose name it took.

    Args:
        spec: The world.
        error: What MuJoCo raised.
        adding: The component that could not add its element; empty where both are in the world.

    Returns:
        None where the error is about something else.
    """
    repeated = _REPEATED.search(str(error)) if isinstance(error, ValueError) else None
    if repeated is None:
        return None
    name, kind = repeated.groups()
    same_kind = getattr(spec, PLURALS.get(kind, f"{kind}s"), None) or elements(spec)
    notes = [element.info for element in same_kind if element.name == name]
    owners = [match.group(1) for note in notes if (match := _OWNER.search(note))] or [WORLD]
    owners.sort(key=lambda owner: owner != WORLD)
    first, last = owners[0], adding or owners[-1]
    other = "" if first == last else f", which {first} has"
    return BuildError(
        f"{last}: expected a name of its own for each {kind}, got {name!r} again{other}; "
        "give it another `name:` or `prefix:`"
    )


def _owner_of_file(spec: mujoco.MjSpec, reason: str) -> str | None:
    named = _FILE.search(reason)
    if named is None:
        return None
    for element in (*spec.meshes, *spec.textures, *spec.hfields, *spec.skins):
        if element.file and (element.file == named.group(1) or named.group(1).endswith(element.file)):
            owner = _OWNER.search(element.info)
            return owner.group(1) if owner else None
    return None
