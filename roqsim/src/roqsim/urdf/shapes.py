"""The shapes of a URDF's links, one by one: what they look like, and which files their meshes are in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from roqsim.urdf.complaints import Complaints
from roqsim.urdf.description import Description
from roqsim.urdf.meshes import Part, UnreadableMeshError, read_parts
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.packages import Files, Unfound
from roqsim.urdf.report import Report, count
from roqsim.urdf.source import Element
from roqsim.urdf.values import numbers

VISUAL, COLLISION = "visual", "collision"

GEOMETRIES = ("box", "cylinder", "sphere", "capsule", "mesh")

Colour = tuple[float, ...]


@dataclass
class Shape:
    """A shape of a link.

    Attributes:
        name: Its name in the model, of its own.
        link: The link it belongs to.
        kind: ``VISUAL`` or ``COLLISION``.
        element: Where it is written.
        rgba: Its colour; None where the file gives none.
        material: The name of its material; empty for none.
        file: The file of its mesh, None for a primitive.
        part: What MuJoCo reads of that file.
        alias: The file name under which MuJoCo's reader knows the mesh; one for each file, part and scale.
    """

    name: str
    link: str
    kind: str
    element: Element
    rgba: Colour | None = None
    material: str = ""
    file: Path | None = None
    part: Part = field(default_factory=Part)
    alias: str = ""


def read_shapes(
    robot: Description, files: Files, options: UrdfConfig, complaints: Complaints, report: Report
) -> list[Shape]:
    """Reads the shapes that were asked for.

    Args:
        robot: The description.
        files: Finds its meshes.
        options: Which kinds are wanted.
        complaints: Takes what is wrong, meshes that are nowhere included.
        report: Takes what is left out or assumed, and the files.

    Returns:
        The shapes in the order of the file; a mesh of several colours is several of them.
    """
    reader = _Reader(robot, files, complaints, report)
    for kind, is_wanted in ((VISUAL, options.visual), (COLLISION, options.collision)):
        found = [(link, element) for link in robot.links for element in robot.links[link].findall(kind)]
        if not is_wanted:
            if found:
                report.add("dropped", f"{count(len(found), f'{kind} shape')}, which nobody wants")
            continue
        for link, element in found:
            reader.read(link, kind, element)
    reader.complain_of_packages()
    return reader.shapes


class _Reader:
    def __init__(self, robot: Description, files: Files, complaints: Complaints, report: Report) -> None:
        self.shapes: list[Shape] = []
        self._files, self._complaints, self._report = files, complaints, report
        self._colours = dict(_named_colours(robot.source))
        self._names: set[str] = set()
        self._unfound: dict[Unfound, list[tuple[str, str, Element]]] = {}
        self._parts: dict[tuple[Path, bool], list[Part]] = {}
        self._refused: set[tuple[Path, str]] = set()
        self._aliases: dict[tuple[object, ...], str] = {}

    def read(self, link: str, kind: str, element: Element) -> None:
        """Reads one ``<visual>`` or ``<collision>``."""
        about = f"link {link!r}"
        geometry = element.find("geometry")
        known = [each for each in geometry if each.tag in GEOMETRIES] if geometry is not None else []
        if len(known) != 1:
            listed = ", ".join(f"<{each.tag}>" for each in geometry) if geometry is not None else "no <geometry>"
            rule = f"one of {', '.join(GEOMETRIES)} in the <geometry> of <{kind}>"
            self._complaints.add(about, rule, listed or "nothing", element if geometry is None else geometry)
            return
        shape = Shape("", link, kind, element)
        shape.rgba, shape.material = self._colour(element, about)
        parts = [Part()]
        if known[0].tag == "mesh":
            found = self._mesh(known[0], link, kind)
            if found is None:
                return
            shape.file, parts = found
        for number, part in enumerate(parts):
            rgba = shape.rgba if shape.rgba is not None else part.rgba
            name = self._name(element.get("name") or f"{link}_{kind}")
            alias = self._alias(shape.file, kind, number, known[0].get("scale", ""))
            self.shapes.append(Shape(name, link, kind, element, rgba, shape.material, shape.file, part, alias))

    def _alias(self, file: Path | None, kind: str, part: int, scale: str) -> str:
        """The alias of a mesh; visual and collision share one where MuJoCo reads the file itself."""
        if file is None:
            return ""
        is_whole = self._parts[file, kind == VISUAL][part].is_file
        key = (file, "" if is_whole else kind, part, tuple(scale.split()))
        return self._aliases.setdefault(key, f"mesh_{len(self._aliases)}_.obj")

    def _name(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name

    def _colour(self, element: Element, about: str) -> tuple[Colour | None, str]:
        material = element.find("material")
        if material is None:
            return None, ""
        name, colour = material.get("name") or "", material.find("color")
        if material.find("texture") is not None:
            self._report.add("dropped", f"the texture of {about}: an STL or OBJ has its own or none", material)
        if colour is not None:
            return numbers(colour, "rgba", ()), name
        if name and name not in self._colours and material.find("texture") is None:
            self._report.add("assumed", f"MuJoCo's grey for {about}: nothing gives material {name!r} a color", material)
        return self._colours.get(name), name if name in self._colours else ""

    def _mesh(self, mesh: Element, link: str, kind: str) -> tuple[Path, list[Part]] | None:
        uri = mesh.get("filename")
        about = f"link {link!r}"
        if not uri:
            self._complaints.add(about, "filename in <mesh>", "none", mesh, 'add filename="…"')
            return None
        found = self._files.find(uri)
        if isinstance(found, Unfound):
            self._unfound.setdefault(found, []).append((link, uri, mesh))
            return None
        if found not in self._report.files:
            self._report.files.append(found)
        coloured = kind == VISUAL
        if (found, coloured) not in self._parts:
            try:
                self._parts[found, coloured] = read_parts(found, coloured=coloured)
            except UnreadableMeshError as error:
                self._refuse(found, str(error), about, uri, mesh)
                return None
        return found, self._parts[found, coloured]

    def _refuse(self, path: Path, reason: str, about: str, uri: str, mesh: Element) -> None:
        got, _, hint = reason.partition("; ")
        if (path, got) not in self._refused:
            self._refused.add((path, got))
            self._complaints.add(about, f"a mesh that can be read at {uri!r}", got, mesh, hint)

    def complain_of_packages(self) -> None:
        """Tells of meshes that are nowhere, once for each package that is missing."""
        for unfound, wanted in self._unfound.items():
            link, uri, mesh = wanted[0]
            more = f" (and {len(wanted) - 1} more of it)" if len(wanted) > 1 else ""
            self._complaints.add(f"link {link!r}", f"the mesh {uri!r}{more}", unfound.got, mesh, unfound.hint)


def _named_colours(source: Element) -> Iterator[tuple[str, Colour]]:
    """The colours of named materials; the first one of a name counts, as it does for MuJoCo."""
    told: set[str] = set()
    for material in source.iter("material"):
        name, colour = material.get("name"), material.find("color")
        if name and colour is not None and name not in told:
            told.add(name)
            yield name, numbers(colour, "rgba", ())
