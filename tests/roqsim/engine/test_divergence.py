from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from roqsim.errors import DivergenceError, PluginError, RoqsimError
from roqsim.plugin import Plugin

PENDULUM = """
<mujoco><worldbody>
  <body name="arm" pos="0 0 1">
    <joint name="swing" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/>
  </body>
</worldbody><actuator><motor name="push" joint="swing"/></actuator></mujoco>
"""


class Poison(Plugin):
    """Writes a number that is none at 0.2 s."""

    def pre_step(self, ctx):
        if ctx.tick == 100:
            target, value = (self.config["target"], float(self.config["value"]))
            getattr(ctx.data, target)[0] = value


@pytest.fixture
def poisoned(world, tmp_path, monkeypatch):
    module = types.ModuleType("poison")
    module.Poison = Poison
    monkeypatch.setitem(sys.modules, "poison", module)
    model = tmp_path / "pendulum.xml"
    model.write_text(PENDULUM)

    def opener(target: str, value: str = "nan", **sim):
        document = {
            "sim": {"world": str(model), "timestep": 0.002, **sim},
            "components": [{"poison:Poison": {"target": target, "value": value}, "name": "saboteur"}],
        }
        return world(document, output_dir=tmp_path / "out")

    return opener


@pytest.mark.parametrize("target", ["qvel", "qpos"])
def test_a_state_that_is_no_number_names_joint_time_and_component(poisoned, target, tmp_path):
    engine = poisoned(target)
    with pytest.raises(DivergenceError) as caught:
        engine.advance(1000)
    for part in ("joint 'swing'", target, "0.2 s", "saboteur"):
        assert part in str(caught.value)
    assert caught.value.report.tick == 100
    with np.load(tmp_path / "out" / "divergence.npz") as file:
        kept = dict(file)
    assert kept["ticks"].tolist() == [0, 100]
    assert np.isfinite(kept["states"]).all()
    assert np.isnan(kept[target]).any()


def test_a_diverging_run_never_sets_its_clock_back(poisoned):
    engine = poisoned("qvel")
    with pytest.raises(DivergenceError):
        engine.advance(1000)
    assert engine.ctx.tick == 100


def test_a_control_that_is_no_number_is_refused_at_the_write(poisoned):
    engine = poisoned("ctrl")
    with pytest.raises(PluginError, match=r"saboteur: expected a finite control for actuator 'push', got nan in"):
        engine.advance(1000)


def test_what_is_written_after_the_physics_or_by_a_command_is_not_blamed_on_the_next_hook(poisoned, monkeypatch):
    def spoil(self, ctx):
        if ctx.tick == 50:
            ctx.data.qvel[0] = np.nan

    monkeypatch.setattr(Poison, "post_step", spoil, raising=False)
    with pytest.raises(DivergenceError, match=r"qvel of joint 'swing' is nan .* written by saboteur\.post_step"):
        poisoned("qvel").advance(1000)
    monkeypatch.delattr(Poison, "post_step")
    engine = poisoned("qvel")
    engine.ctx.post(lambda ctx: ctx.data.qpos.__setitem__(0, np.nan))
    with pytest.raises(DivergenceError, match=r"qpos of joint 'swing' is nan .* written by a posted command"):
        engine.advance(10)
    engine = poisoned("qvel")
    engine.ctx.post(lambda ctx: ctx.data.ctrl.__setitem__(0, np.nan))
    with pytest.raises(PluginError, match=r"^a posted command: .* for actuator 'push', got nan at 0 s"):
        engine.idle()
    with pytest.raises(RoqsimError, match="shut down"):
        engine.step()


def test_the_first_bad_quantity_is_told_once(poisoned, caplog):
    with pytest.raises(DivergenceError, match=r"diverged: qacc of joint 'swing' is nan at 0\.2 s \(tick 100\)"):
        poisoned("qfrc_applied").advance(1000)
    assert not [record for record in caplog.records if record.name == "roqsim.mujoco"]


def test_a_control_that_is_no_number_is_refused_at_a_reset_too(poisoned, monkeypatch):
    engine = poisoned("qvel")
    monkeypatch.setattr(Poison, "on_reset", lambda self, ctx: ctx.data.ctrl.__setitem__(0, np.inf), raising=False)
    with pytest.raises(PluginError, match=r"saboteur: expected a finite control for actuator 'push', got inf in"):
        engine.reset()


def test_a_force_that_blows_the_state_up_is_found_within_a_step(poisoned):
    engine = poisoned("qfrc_applied", "1e300")
    with pytest.raises(DivergenceError, match=r"joint 'swing'"):
        engine.advance(1000)
    assert engine.ctx.tick <= 102


def test_a_state_that_a_script_spoils_between_steps_is_found_too(poisoned):
    engine = poisoned("qvel")
    engine.advance(10)
    engine.ctx.data.qvel[0] = np.inf
    with pytest.raises(DivergenceError, match=r"qvel of joint 'swing' is inf at 0\.02 s"):
        engine.step()


def test_on_divergence_reset_begins_again(poisoned):
    engine = poisoned("qfrc_applied", "1e300", on_divergence="reset")
    engine.advance(150)
    assert engine.ctx.episode == 2
    assert np.isfinite(engine.ctx.data.qpos).all()


def test_plugins_are_shut_down_after_a_divergence(poisoned):
    engine = poisoned("qvel")
    with pytest.raises(DivergenceError):
        engine.advance(1000)
    with pytest.raises(RoqsimError, match="shut down"):
        engine.reset()


def test_nothing_is_left_in_the_working_directory(poisoned, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    engine = poisoned("qvel")
    with pytest.raises(DivergenceError):
        engine.advance(1000)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


@pytest.mark.parametrize(
    ("target", "told"), [("ctrl", "expected a finite control"), ("qvel", "the simulation diverged")]
)
def test_on_divergence_reset_does_not_excuse_what_a_component_writes(poisoned, target, told):
    engine = poisoned(target, on_divergence="reset")
    with pytest.raises(RoqsimError, match=f"{told}.* saboteur.pre_step|saboteur: {told}"):
        engine.advance(150)
    assert engine.ctx.episode == 1


def test_a_script_that_spoils_a_control_between_steps_is_suspected_beside_the_first_hook(poisoned):
    engine = poisoned("qvel")
    engine.advance(10)
    engine.ctx.data.ctrl[0] = np.nan
    with pytest.raises(PluginError, match=r"got nan in pre_step at 0\.02 s; if a script wrote it between two steps, "):
        engine.step()
    engine = poisoned("qvel")
    engine.advance(10)
    engine.ctx.data.qpos[0] = np.nan
    with pytest.raises(DivergenceError, match=r"written by saboteur\.pre_step or by a script between two steps;"):
        engine.step()


def test_no_script_is_suspected_of_what_a_later_hook_writes(world, poisoned, monkeypatch):
    engine = poisoned("ctrl")
    document = engine.cfg.raw
    document["components"].insert(0, {"poison:Poison": {"target": "ctrl", "value": "0"}, "name": "first"})
    with pytest.raises(PluginError, match=r"^saboteur: .* got nan in pre_step at 0\.2 s$"):
        world(document).advance(1000)


def test_what_is_over_when_it_is_noticed_is_named_all_the_same(world, tmp_path):
    boxes = {"size": [0.4, 0.4, 0.4], "instances": [{"name": "crate", "pose": {"position": [0, 0, 1]}}]}
    document = {"sim": {"gravity": [0, 0, -1e12]}, "components": [{"boxes": boxes}]}
    with pytest.raises(DivergenceError, match="qacc of joint 'crate_freejoint' was huge or not finite") as caught:
        world(document, output_dir=tmp_path).advance(100)
    assert caught.value.report.value is None
    assert caught.value.report.tick == 100


def test_a_report_that_cannot_be_written_leaves_the_one_before(poisoned, tmp_path, monkeypatch, caplog):
    with pytest.raises(DivergenceError):
        poisoned("qvel").advance(1000)
    before = (tmp_path / "out" / "divergence.npz").read_bytes()

    def full(file, **arrays):
        file.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(DivergenceError, match="the last states could not be written"):
        poisoned("qpos").advance(1000)
    assert (tmp_path / "out" / "divergence.npz").read_bytes() == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["divergence.npz"]
    assert "no space left on device" in caplog.text
