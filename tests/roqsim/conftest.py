"""What the tests of the core share: files in a working directory of their own, and packages that look installed."""

from __future__ import annotations

import sys
import textwrap

import pytest

TOYS = """
    from __future__ import annotations

    from dataclasses import dataclass
    from typing import Literal

    from roqsim.config.pose import Pose
    from roqsim.config.schema import need, opt
    from roqsim.manifest import expand_manifest
    from roqsim.plugin import Plugin


    @dataclass(frozen=True, kw_only=True)
    class ScannerConfig:
        rays: int = opt(360, gt=0)
        '''Number of rays in one scan.'''
        max_range: float = opt(10.0, gt=0, unit="m")
        '''Farthest return.'''
        frame_id: str = opt("scan")
        '''Frame of the scan.'''
        mode: Literal["fast", "fine"] = opt("fast")
        '''Resolution.'''
        pose: Pose = opt(Pose())
        '''Pose on the carrier.'''
        topics: dict[str, str] = opt(factory=dict)
        '''Topics by endpoint.'''
        path: str | None = opt(None)
        '''A file.'''


    class Scanner(Plugin):
        Config = ScannerConfig


    @dataclass(frozen=True, kw_only=True)
    class SpawnConfig:
        model: str = need()
        '''Model reference.'''
        prefix: str | None = opt(None)
        '''Prefix of its names.'''
        default_plugins: bool = opt(True)
        '''Whether the manifest is read.'''
        mass: float = opt(1.0, gt=0)
        '''Mass.'''


    class Spawn(Plugin):
        Config = SpawnConfig
        provides_entity = True
        expansion_keys = ("model", "default_plugins")

        @classmethod
        def expand(cls, spec, world, base_dir):
            return expand_manifest(spec, world, base_dir=base_dir)


    @dataclass(frozen=True, kw_only=True)
    class MountConfig(SpawnConfig):
        frame_id: str | None = opt(None)
        '''Frame of its data.'''
        parent: str | None = opt(None)
        '''Body that it is fixed to.'''
        parent_frame: str | None = opt(None)
        '''Frame that it is fixed to.'''


    class Mount(Spawn):
        Config = MountConfig
        expansion_keys = ("model", "default_plugins", "frame_id", "parent_frame")


    class Plain(Plugin):
        @classmethod
        def validate_config(cls, config):
            return [f"{key!r} is nothing that I know" for key in config if key.startswith("bad")]


    class Ground(Plugin):
        provides_world = True


    class Radio(Plugin):
        transport_only = True


    class Switch(Plugin):
        @dataclass(frozen=True, kw_only=True)
        class Config:
            enabled: bool = opt(True)
            '''Whether it starts switched on.'''


    class Clumsy(Plugin):
        def __init__(self, config=None, *, name=None):
            raise RuntimeError("two left hands")


    class Thrower(Plugin):
        @classmethod
        def expand(cls, spec, world, base_dir):
            raise KeyError("nowhere")
"""

TOY_POINTS = {
    "roqsim.plugins": {
        "toy_scanner": "toybox.toys:Scanner",
        "toy_spawn": "toybox.toys:Spawn",
        "toy_mount": "toybox.toys:Mount",
        "toy_plain": "toybox.toys:Plain",
        "toy_ground": "toybox.toys:Ground",
        "toy_floor": "toybox.toys:Ground",
        "toy_radio": "toybox.toys:Radio",
        "toy_switch": "toybox.toys:Switch",
        "toy_clumsy": "toybox.toys:Clumsy",
        "toy_thrower": "toybox.toys:Thrower",
        "toy_broken": "toybox.broken:Nothing",
    },
    "roqsim.models": {"toybox": "toybox.models"},
    "roqsim.worlds": {"toybox": "toybox.worlds"},
}

FOLDER_MODULE = "from pathlib import Path\n{name}_DIR = Path(__file__).parent\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the test's working directory, its text dedented; returns the path relative to it."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def write_file(name, text=""):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return name

    return write_file


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Makes a distribution that looks installed: its files, and what it announces by group and name."""
    roots = []

    def install_package(dist, files, entry_points=None):
        root = tmp_path / f"site-{dist}"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        info = root / f"{dist}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.0\n")
        lines = []
        for group, points in (entry_points or {}).items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        monkeypatch.syspath_prepend(str(root))
        roots.append(str(root))
        return root

    yield install_package
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None) or ""
        if any(place.startswith(root) for root in roots):
            del sys.modules[name]


@pytest.fixture
def toybox(install):
    """A package with one plugin of every kind, no models and no worlds yet; returns its root folder."""
    files = {
        "toybox/__init__.py": "",
        "toybox/toys.py": TOYS,
        "toybox/broken.py": "import a_module_that_is_missing\n",
        "toybox/models/__init__.py": FOLDER_MODULE.format(name="MODELS"),
        "toybox/worlds/__init__.py": FOLDER_MODULE.format(name="WORLDS"),
    }
    return install("toybox", files, TOY_POINTS) / "toybox"


@pytest.fixture
def model(toybox):
    """Adds a model to the toy package, with a manifest where one is given; returns its file."""

    def add_model(name, manifest=None, mjcf="<mujoco/>"):
        folder = toybox / "models" / name
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.xml").write_text(mjcf)
        if manifest is not None:
            (folder / f"{name}.manifest.yaml").write_text(textwrap.dedent(manifest).lstrip("\n"))
        return folder / f"{name}.xml"

    return add_model
