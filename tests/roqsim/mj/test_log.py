from __future__ import annotations

import logging

import mujoco
import roqsim.mj  # noqa: F401
from roqsim.mj.log import captured, tell_anew

MIXED = """
<mujoco><worldbody><geom type="plane" size="1 1 1" solref="0 1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1" solref="0 1"/></body></worldbody></mujoco>
"""
LOUD = "<mujoco><option timestep='.01'/><worldbody><body name='b'><geom size='.1'/></body></worldbody></mujoco>"


def test_a_warning_of_the_engine_is_logged_once_and_leaves_no_file(tmp_path, monkeypatch, caplog, capfd):
    monkeypatch.chdir(tmp_path)
    tell_anew()
    model = mujoco.MjModel.from_xml_string(MIXED)
    data = mujoco.MjData(model)
    with caplog.at_level(logging.WARNING, "roqsim.mujoco"):
        mujoco.mj_step(model, data, 10)
        assert sum("mixed solref format" in message for message in caplog.messages) == 1
        tell_anew()
        mujoco.mj_step(model, data)
        assert sum("mixed solref format" in message for message in caplog.messages) == 2
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().err == ""


def test_a_verdict_on_the_state_is_left_to_who_reports_it_with_names(caplog):
    model = mujoco.MjModel.from_xml_string(MIXED)
    data = mujoco.MjData(model)
    data.qvel[0] = float("nan")
    with caplog.at_level(logging.DEBUG, "roqsim.mujoco"):
        mujoco.mj_step(model, data)
    verdicts = [record for record in caplog.records if "QVEL at DOF 0" in record.getMessage()]
    assert [record.levelno for record in verdicts] == [logging.DEBUG]


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
