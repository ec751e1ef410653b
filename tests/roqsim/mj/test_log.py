from __future__ import annotations

import logging

import mujoco
import roqsim.mj  # noqa: F401
from roqsim.mj.log import captured

LOUD = "<mujoco><option timestep='.01'/><worldbody><body name='b'><geom size='.1'/></body></worldbody></mujoco>"


def test_a_warning_of_the_engine_is_logged_and_leaves_no_file(tmp_path, monkeypatch, caplog, capfd):
    monkeypatch.chdir(tmp_path)
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qvel[0] = float("nan")
    with caplog.at_level(logging.WARNING, "roqsim.mujoco"):
        mujoco.mj_step(model, data)
    assert "QVEL at DOF 0" in caplog.text
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().err == ""


def test_a_warning_of_an_attach_is_captured_with_its_details(caplog):
    parent, child = mujoco.MjSpec(), mujoco.MjSpec.from_string(LOUD)
    with captured() as texts:
        parent.attach(child, prefix="x_", frame=parent.worldbody.add_frame())
        parent.compile()
    assert len(texts) == 1
    assert "timestep: parent has 0.002 (default), child has 0.01" in texts[0]
    assert caplog.messages == texts


def test_an_empty_prefix_is_nothing_to_warn_about(caplog):
    parent, child = mujoco.MjSpec(), mujoco.MjSpec.from_string(LOUD.replace("<option timestep='.01'/>", ""))
    with captured() as texts:
        parent.attach(child, prefix="", frame=parent.worldbody.add_frame())
        parent.compile()
    assert texts == [] and caplog.messages == []
