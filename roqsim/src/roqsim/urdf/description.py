"""The links and joints of a URDF as one tree, or everything that keeps them from being one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from roqsim.errors import suggest
from roqsim.urdf.complaints import Complaints
from roqsim.urdf.source import ROOT, Element
from roqsim.urdf.values import check_numbers

WORLD = "world"
"""A root link of this name stands for the world itself; MuJoCo lets no other body have the name."""

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")
"""URDF's joints, and the ball joint that Bullet added."""

OTHER_FORMATS = {
    "mujoco": "this is MJCF; name it .xml",
    "sdf": "this is SDF; export URDF from the program that made it",
    "world": "this is SDF; export URDF from the program that made it",
}


@dataclass(frozen=True)
class Joint:
    """A joint of the tree.

    Attributes:
        name: Its name.
        type: One of ``JOINT_TYPES``.
        parent: The link that carries it.
        child: The link that it moves.
        element: Where it is written.
    """

    name: str
    type: str
    parent: str
    child: str
    element: Element


@dataclass
class Description:
    """A robot as its file describes it.

    Attributes:
        name: The robot's name.
        path: The file.
        source: The root element.
        base: The root link.
        links: By name, in the order of the file.
        joints: By name, in the order of the file.
    """

    name: str
    path: Path
    source: Element
    base: str = ""
    links: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)

    def below(self, link: str) -> Iterator[Joint]:
        """The joints that a link carries."""
        return (joint for joint in self.joints.values() if joint.parent == link)

    def welded(self, link: str) -> list[str]:
        """A link and all that fixed joints hang on it, further and further down."""
        group = [link]
        for each in group:
            group += [joint.child for joint in self.below(each) if joint.type == "fixed"]
        return group


def read_description(source: Element, path: Path, complaints: Complaints) -> Description:
    """Reads the links and joints.

    Args:
        source: The root element.
        path: The file.
        complaints: Takes what is wrong.

    Raises:
        ConfigError: With every mistake of the tree and of the numbers in it.
    """
    if source.tag != ROOT:
        hint = OTHER_FORMATS.get(source.tag, "a URDF begins with <robot name=…>")
        complaints.add("", f"<{ROOT}>", f"<{source.tag}>", source, hint)
        complaints.check()
    found = Description(source.get("name") or path.stem, path, source)
    _read_links(found, complaints)
    _read_joints(found, complaints)
    for material in source.findall("material"):
        check_numbers(f"material {material.get('name', '')!r}", material, complaints)
    complaints.check()
    _find_base(found, complaints)
    complaints.check()
    return found


def _read_links(found: Description, complaints: Complaints) -> None:
    for element in found.source.findall("link"):
        name = element.get("name")
        if not name:
            complaints.add("link", "a name", "none", element, 'add name="…"')
            continue
        if name in found.links:
            first = found.links[name].line
            complaints.add(f"link {name!r}", "a name of its own", f"one that line {first} has", element, "rename one")
            continue
        found.links[name] = element
        check_numbers(f"link {name!r}", element, complaints)
    if not found.source.findall("link"):
        complaints.add("", "at least one <link>", "none", found.source)


def _read_joints(found: Description, complaints: Complaints) -> None:
    moved_by: dict[str, Joint] = {}
    for element in found.source.findall("joint"):
        joint = _read_joint(element, found, complaints)
        if joint is None:
            continue
        other = moved_by.get(joint.child)
        if other is not None:
            text = f"{joint.child!r}, which {other.name!r} in line {other.element.line} has already"
            hint = "a link has one parent; close a loop elsewhere"
            complaints.add(f"joint {joint.name!r}", "a child of its own", text, element, hint)
            continue
        moved_by[joint.child] = found.joints[joint.name] = joint


def _read_joint(element: Element, found: Description, complaints: Complaints) -> Joint | None:
    name, kind = element.get("name"), element.get("type", "")
    if not name:
        complaints.add("joint", "a name", "none", element, 'add name="…"')
        return None
    about = f"joint {name!r}"
    if name in found.joints:
        first = found.joints[name].element.line
        complaints.add(about, "a name of its own", f"one that line {first} has", element, "rename one")
        return None
    if kind not in JOINT_TYPES:
        complaints.add(about, "a known type", repr(kind), element, suggest(kind, JOINT_TYPES))
        return None
    # Exporters write axes of zeros into fixed joints.
    for part in element.findall("origin") if kind == "fixed" else [element]:
        check_numbers(about, part, complaints)
    ends = []
    for tag in ("parent", "child"):
        end = element.find(tag)
        link = end.get("link", "") if end is not None else ""
        if link not in found.links:
            got = f"<{tag} link={link!r}>" if end is not None else f"no <{tag}>"
            complaints.add(about, f"a link as its {tag}", got, element if end is None else end, _near(link, found))
        ends.append(link)
    if not all(link in found.links for link in ends):
        return None
    if ends[0] == ends[1]:
        complaints.add(about, "two links", f"{ends[0]!r} as parent and child", element)
        return None
    return Joint(name, kind, ends[0], ends[1], element)


def _near(link: str, found: Description) -> str:
    return suggest(link, found.links)


def _find_base(found: Description, complaints: Complaints) -> None:
    children = {joint.child for joint in found.joints.values()}
    roots = [name for name in found.links if name not in children]
    reached = [link for root in roots for link in _reached(found, root)]
    in_loop = [name for name in found.links if name not in set(reached)]
    if in_loop:
        joint = next(joint for joint in found.joints.values() if joint.child in in_loop)
        hint = "a URDF is a tree; take one joint out of the loop"
        text = f"a loop of {', '.join(repr(name) for name in in_loop[:10])}"
        complaints.add(f"joint {joint.name!r}", "joints that form a tree", text, joint.element, hint)
    if len(roots) > 1:
        listed = ", ".join(f"{name!r} in line {found.links[name].line}" for name in roots[:10])
        hint = "join them to one, for instance by fixed joints"
        complaints.add("", "one root link", listed, found.links[roots[1]], hint)
    found.base = roots[0] if roots else ""
    if WORLD in found.links and found.base != WORLD and roots:
        hint = "rename it, or make it the root"
        complaints.add(f"link {WORLD!r}", "a name that MuJoCo leaves free", repr(WORLD), found.links[WORLD], hint)


def _reached(found: Description, root: str) -> list[str]:
    reached = [root]
    for each in reached:
        reached += [joint.child for joint in found.below(each)]
    return reached
