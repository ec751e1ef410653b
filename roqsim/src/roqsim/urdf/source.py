"""A URDF file as elements that know their line."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from roqsim.config.nodes import Origin
from roqsim.errors import ConfigError, Problem

SUFFIX = ".urdf"

ROOT = "robot"
"""The root element of a URDF; by it MuJoCo tells one from an MJCF file, whatever the file is called."""

CHUNK = 4096
"""Bytes that are read at a time to find out which element a file begins with."""


class Element(ElementTree.Element):
    """An element of the file.

    Attributes:
        line: The line in which its tag begins, from 1; 0 for one that was made.
    """

    line = 0


class _FirstTag(Exception):
    """Ends a parse at the first element; its text is the element's name."""


def is_urdf(path: Path) -> bool:
    """Whether a model file is a URDF: by its ending, else by its first element."""
    if path.suffix.lower() == SUFFIX:
        return True
    parser = expat.ParserCreate()

    def stop(tag: str, attributes: object) -> None:
        raise _FirstTag(tag)

    parser.StartElementHandler = stop
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                parser.Parse(chunk)
    except _FirstTag as first:
        return str(first) == ROOT
    except (OSError, expat.ExpatError):
        return False
    return False


def parse_source(path: Path, where: str = "") -> Element:
    """Parses a file.

    Args:
        path: The file.
        where: Whose file it is; the error begins with it.

    Returns:
        Its root element.

    Raises:
        ConfigError: It is not XML; with the line.
        OSError: It can't be read.
    """
    builder = ElementTree.TreeBuilder(element_factory=Element)
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(tag, attributes).line = parser.CurrentLineNumber

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        origin = Origin(str(path), error.lineno)
        raise ConfigError(Problem(where, "XML", repr(reason), origin, "correct the file there")) from None
    return builder.close()
