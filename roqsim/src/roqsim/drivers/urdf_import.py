"""From a URDF to a model folder: an MJCF, its meshes, and a manifest."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np

from roqsim.config.manifest import SUFFIX as MANIFEST
from roqsim.destination import new_file, new_folder
from roqsim.errors import BuildError, ConfigError, NotFoundError, suggest
from roqsim.export.urdf.solids import to_obj
from roqsim.mj.log import captured
from roqsim.mj.names import names
from roqsim.models import resolve_model
from roqsim.scene.ledger import place_of
from roqsim.spawning.placement import read_child
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.report import Report
from roqsim.urdf.source import SUFFIX, is_urdf

ASSETS = "assets"
"""The folder of the meshes, beside the MJCF."""


def import_urdf(
    file: Path, options: UrdfConfig, out: Path | None = None, *, replace: bool = False
) -> dict[str, object]:
    """Reads a URDF, compiles it, and writes it as MJCF where that is wanted.

    Args:
        file: The URDF.
        options: How it is read; relative package paths start from the working directory.
        out: The folder to write ``<file>.xml``, its manifest and its meshes into, or None.
        replace: Whether an MJCF that is there already is replaced.

    Returns:
        The report with ``bodies``, ``joints`` and ``actuators`` by name, ``geoms`` as a count, ``mass`` in kg, and the
        files that were ``written``.

    Raises:
        RoqsimError: The file is wrong, or the MJCF is there already.
    """
    if file.is_dir():
        raise NotFoundError(f"expected the file of a URDF, got the folder {str(file)!r}; name a file in it")
    if not file.is_file():
        beside = sorted(file.parent.glob(f"*{SUFFIX}"))
        hint = suggest(str(file), map(str, beside)) if beside else "name the file of a URDF, such as robot.urdf"
        raise NotFoundError(f"there is no file {str(file)!r}; {hint}")
    if not is_urdf(file):
        raise ConfigError(f"expected a URDF, got {str(file)!r}, whose root is no <robot>; name it in a world as it is")
    asset = resolve_model(str(file))
    spec, report = read_child(asset, where="", urdf=options, base_dir=Path.cwd())
    model = _compiled(spec)
    written = _write(spec, report, out / f"{asset.path.stem}.xml", replace) if out is not None else []
    return {
        **report.as_dict(),
        "bodies": names(model, "body")[1:],
        "joints": names(model, "joint"),
        "actuators": names(model, "actuator"),
        "geoms": int(model.ngeom),
        "mass": float(model.body_mass.sum()),
        "written": [str(path) for path in written],
    }


def _write_mesh(mesh: mujoco.MjsMesh, folder: Path) -> str:
    """Writes a mesh into a folder; returns the file's name."""
    if mesh.file:
        name, content = f"{mesh.name}{Path(mesh.file).suffix.lower()}", Path(mesh.file).read_bytes()
    else:
        vertices, faces = np.reshape(mesh.uservert, (-1, 3)), np.reshape(mesh.userface, (-1, 3))
        name, content = f"{mesh.name}.obj", to_obj(vertices, faces)
    (folder / name).write_bytes(content)
    return name


def _compiled(spec: mujoco.MjSpec) -> mujoco.MjModel:
    try:
        with captured():
            return spec.compile()
    except ValueError as error:
        reason = str(error).splitlines()[0].removeprefix("Error: ")
        place = place_of(str(error))
        at = f" at {place}" if place else ""
        raise BuildError(f"expected a model that compiles, got {reason!r} from MuJoCo{at}; correct the file") from None


def _write(spec: mujoco.MjSpec, report: Report, target: Path, overwrite: bool) -> list[Path]:
    """Writes a compiled model and its meshes; returns the files, the model first."""
    root = ElementTree.fromstring(spec.to_xml())
    meshes = {mesh.name: mesh for mesh in spec.meshes}
    written = [target]
    with new_file(target, overwrite=overwrite) as file:
        if meshes:
            root.find("compiler").set("meshdir", ASSETS)
            with new_folder(target.parent / ASSETS, (), overwrite=True) as folder:
                for element in root.findall("asset/mesh"):
                    name = _write_mesh(meshes[element.get("name")], folder)
                    written.append(target.parent / ASSETS / name)
                    for attribute in ("vertex", "face", "content_type"):
                        element.attrib.pop(attribute, None)
                    element.set("file", name)
        file.write_text(ElementTree.tostring(root, encoding="unicode") + "\n", encoding="utf-8")
    manifest = target.with_name(target.stem + MANIFEST)
    if not manifest.exists():
        with new_file(manifest) as file:
            file.write_text(f"description: {json.dumps(report.robot)}\nsource: {json.dumps(report.path.name)}\n")
        written.append(manifest)
    return written
