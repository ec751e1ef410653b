"""From a URDF to a model folder: an MJCF, its meshes, and a manifest."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco

from roqsim.config.manifest import SUFFIX
from roqsim.errors import ConfigError
from roqsim.export.output import new_file, new_folder
from roqsim.mj.names import names
from roqsim.models import resolve_model
from roqsim.placement import read_child
from roqsim.scene.build import compile_spec
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.report import Report
from roqsim.urdf.source import is_urdf

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
    asset = resolve_model(str(file))
    if not is_urdf(asset.path):
        raise ConfigError(f"expected a URDF, got {str(file)!r}, whose root is no <robot>; name it in a world as it is")
    spec, report = read_child(asset, where="", urdf=options, base_dir=Path.cwd())
    model = compile_spec(spec)
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


def _write(spec: mujoco.MjSpec, report: Report, target: Path, overwrite: bool) -> list[Path]:
    """Writes a compiled model and its meshes; returns the files, the model first."""
    written = [target]
    with new_file(target, overwrite=overwrite) as file:
        if spec.meshes:
            with new_folder(target.parent / ASSETS, (), overwrite=True) as folder:
                for mesh in spec.meshes:
                    name = f"{mesh.name}{Path(mesh.file).suffix.lower()}"
                    (folder / name).write_bytes(spec.assets.get(mesh.file) or Path(mesh.file).read_bytes())
                    mesh.file = name
                    written.append(target.parent / ASSETS / name)
            spec.meshdir = ASSETS
        file.write_text(spec.to_xml(), encoding="utf-8")
    manifest = target.with_name(target.stem + SUFFIX)
    if not manifest.exists():
        with new_file(manifest) as file:
            file.write_text(f"description: {json.dumps(report.robot)}\nsource: {json.dumps(report.path.name)}\n")
        written.append(manifest)
    return written
