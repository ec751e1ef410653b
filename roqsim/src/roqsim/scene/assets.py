"""Assets that several copies of a model bring are compiled once."""

from __future__ import annotations

import mujoco


def share_assets(spec: mujoco.MjSpec) -> int:
    """Merges meshes and textures that would compile to the same thing; nothing that physics or a picture sees changes.

    Attaching a model copies its assets under new names, so sixty copies of a prop would load, decode and hull its
    files sixty times. MuJoCo's own pass compares resolved files, buffers and parameters, reads nothing from disk
    and needs the paths to be absolute, which they are. It leaves materials apart; ``roqsim.mj.materials`` sees to them.

    Returns:
        How many assets were merged away; elements that were held onto must be looked up again.
    """
    return spec.dedup_assets()
