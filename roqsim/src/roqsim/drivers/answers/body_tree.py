"""What hangs on a body, as nested plain data."""

from __future__ import annotations

from fnmatch import fnmatchcase

import mujoco

from roqsim.mj.names import count, name_of

MOST_BODIES = 200
"""How many bodies one tree shows before it is cut."""

Tree = dict[str, object]


def body_trees(model: mujoco.MjModel, pattern: str) -> list[Tree]:
    """The trees under all bodies of a name; a body below another match appears in that one's tree only.

    Args:
        model: A compiled world.
        pattern: A shell pattern such as ``robot_*``; the world's own body is called ``world``.

    Returns:
        For each one ``root`` (its name), ``tree`` (nested ``name``, ``joints``, ``children``) and ``truncated``.
    """
    children: dict[int, list[int]] = {}
    for body in range(1, count(model, "body")):
        children.setdefault(int(model.body_parentid[body]), []).append(body)
    trees = []
    covered: set[int] = set()
    for body in range(count(model, "body")):
        if body not in covered and fnmatchcase(name_of(model, "body", body), pattern):
            cut = _Cut(model, children)
            trees.append({"root": name_of(model, "body", body), "tree": cut.tree(body), "truncated": cut.is_cut})
            covered |= cut.seen
    return trees


class _Cut:
    """One tree, ended after ``MOST_BODIES``."""

    def __init__(self, model: mujoco.MjModel, children: dict[int, list[int]]) -> None:
        self.model, self.children = model, children
        self.seen: set[int] = set()
        self.is_cut = False

    def tree(self, body: int) -> Tree:
        self.seen.add(body)
        first, number = int(self.model.body_jntadr[body]), int(self.model.body_jntnum[body])
        below = []
        for child in self.children.get(body, ()):
            if len(self.seen) >= MOST_BODIES:
                self.is_cut = True
                break
            below.append(self.tree(child))
        joints = [name_of(self.model, "joint", first + i) for i in range(number)]
        return {"name": name_of(self.model, "body", body), "joints": joints, "children": below}
