from __future__ import annotations

import stat
from pathlib import Path

import pytest
from roqsim.config.world import load_config, load_config_from_dict
from roqsim.errors import RoqsimError
from roqsim.viewer.view_file import save_view

FREE = {"lookat": [1.0, 2.0, 3.0], "distance": 4.0, "track": None, "follow_heading": False}


def test_the_view_goes_into_the_file_that_was_named_and_not_into_its_parent(write):
    write("parent.yaml", "sim: {seed: 1}\n")
    write("child.yaml", "extends: parent.yaml  # everything\n")
    parent = Path("parent.yaml").read_text()
    path = save_view(load_config("child.yaml"), FREE)
    assert path.name == "child.yaml"
    assert path.read_text() == (
        "extends: parent.yaml  # everything\nsim:\n  view:\n    lookat: [1.0, 2.0, 3.0]\n    distance: 4.0\n"
    )
    assert Path("parent.yaml").read_text() == parent
    assert load_config("child.yaml").sim.view.distance == 4.0


def test_a_free_view_undoes_the_tracking_of_a_parent(write):
    write("parent.yaml", "sim: {view: {track: crate, follow_heading: true}}\n")
    write("child.yaml", "extends: parent.yaml\nsim: {}\n")
    save_view(load_config("child.yaml"), FREE)
    view = load_config("child.yaml").sim.view
    assert (view.track, view.follow_heading, view.lookat) == (None, False, (1.0, 2.0, 3.0))


def test_the_file_keeps_its_permissions_and_nothing_lies_beside_it(write, tmp_path):
    write("world.yaml", "sim: {seed: 1}\n")
    path = tmp_path / "here" / "world.yaml"
    path.chmod(0o640)
    save_view(load_config("world.yaml"), FREE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in path.parent.iterdir()] == ["world.yaml"]


def test_a_link_to_a_world_stays_a_link(write, tmp_path):
    write("world.yaml", "sim: {seed: 1}\n")
    link = tmp_path / "here" / "link.yaml"
    link.symlink_to("world.yaml")
    save_view(load_config("link.yaml"), FREE)
    assert link.is_symlink()
    assert "view" in (tmp_path / "here" / "world.yaml").read_text()


def test_what_was_edited_since_the_start_of_the_run_is_kept(write):
    write("world.yaml", "sim: {seed: 1}\n")
    cfg = load_config("world.yaml")
    write("world.yaml", "sim: {seed: 2}  # new\n")
    save_view(cfg, FREE)
    assert Path("world.yaml").read_text() == "sim: {seed: 2, view: {lookat: [1.0, 2.0, 3.0], distance: 4.0}}  # new\n"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("model.xml", "expected a YAML world, got an MJCF file; write a world that names it"),
        ("toybox:shed", "expected a world of your own, got a packaged one; write one that extends it"),
    ],
)
def test_a_view_is_saved_only_where_somebody_writes_worlds(write, toybox, target, reason):
    write("model.xml", "<mujoco/>")
    (toybox / "worlds" / "shed.yaml").write_text("sim: {seed: 1}\n")
    with pytest.raises(RoqsimError) as raised:
        save_view(load_config(target), FREE)
    assert str(raised.value) == f"{target}: {reason}"
    assert (toybox / "worlds" / "shed.yaml").read_text() == "sim: {seed: 1}\n"


def test_a_world_from_a_program_has_no_file_to_save_into():
    with pytest.raises(RoqsimError, match="document: expected a world that was loaded from a file"):
        save_view(load_config_from_dict({"sim": {"seed": 1}}), FREE)


def test_a_refused_edit_leaves_the_file_as_it_was(write):
    text = "sim: &s {seed: 1}\ncomponents:\n  - dummy: *s\n"
    write("world.yaml", "sim: {seed: 1}\n")
    cfg = load_config("world.yaml")
    write("world.yaml", text)
    with pytest.raises(RoqsimError, match="write into it: view: "):
        save_view(cfg, FREE)
    assert Path("world.yaml").read_text() == text
