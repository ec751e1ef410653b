from __future__ import annotations

import pytest
from roqsim.errors import NotFoundError
from roqsim.worlds import MJCF, YAML, list_worlds, resolve_world


def told(ref, **options):
    with pytest.raises(NotFoundError) as caught:
        resolve_world(ref, **options)
    return str(caught.value)


@pytest.fixture
def worlds(toybox):
    folder = toybox / "worlds"
    (folder / "yard.yaml").write_text("sim: {}")
    (folder / "depot").mkdir()
    (folder / "depot/depot.yaml").write_text("sim: {}")
    (folder / "depot/depot.xml").write_text("<mujoco/>")
    (folder / "depot/shelf.yaml").write_text("sim: {}")
    (folder / "bare.xml").write_text("<mujoco/>")
    return folder


@pytest.mark.parametrize(
    ("ref", "file"),
    [
        ("toybox:yard", "yard.yaml"),
        ("toybox:depot", "depot/depot.yaml"),
        ("toybox:depot/depot.xml", "depot/depot.xml"),
        ("toybox:depot/shelf", "depot/shelf.yaml"),
        ("toybox:bare", "bare.xml"),
        ("toybox.worlds:yard", "yard.yaml"),
    ],
)
def test_a_world_of_a_package_is_found_flat_or_in_its_folder(worlds, ref, file):
    assert resolve_world(ref).path == worlds / file


def test_the_kind_that_is_asked_for_decides_between_two_files_of_one_name(worlds):
    assert resolve_world("toybox:depot", suffixes=MJCF).path == worlds / "depot/depot.xml"
    assert resolve_world("toybox:depot", suffixes=YAML).path == worlds / "depot/depot.yaml"


def test_a_path_starts_from_the_base_folder(write, tmp_path):
    write("a/w.yaml", "sim: {}")
    assert resolve_world("w.yaml", tmp_path / "here/a").path == tmp_path / "here/a/w.yaml"
    assert resolve_world("a/w.yaml").package is None


def test_a_reference_to_a_sibling_stays_inside_the_package(worlds):
    asset = resolve_world("toybox:depot")
    assert asset.ref == "toybox:depot"
    assert asset.sibling_ref(worlds / "depot/depot.xml") == "toybox:depot/depot.xml"


@pytest.mark.parametrize(
    ("ref", "options", "text"),
    [
        ("toybox:yrd", {}, "the package 'toybox' has no world 'yrd'; did you mean 'yard'?"),
        ("toybx:yard", {}, "no installed package 'toybx' brings worlds; did you mean 'toybox'?"),
        ("yard", {}, "there is no file 'yard'; did you mean 'toybox:yard'?"),
        ("toybox:yard", {"suffixes": MJCF}, "expected a file that ends in .xml or .mjcf, got 'toybox:yard'"),
        ("here.yml", {}, "there is no file 'here.yml'; did you mean 'here.yaml'?"),
        ("folder", {}, "expected the file of a world, got the folder 'folder'; name the YAML file in it"),
    ],
)
def test_a_world_that_is_not_found_is_told_with_the_nearest(worlds, write, ref, options, text):
    write("here.yaml", "sim: {}")
    write("folder/x.yaml", "sim: {}")
    assert told(ref, **options) == text


def test_every_world_of_every_package_is_listed(worlds):
    assert [asset.ref for asset in list_worlds() if asset.package == "toybox"] == ["toybox:depot", "toybox:yard"]
