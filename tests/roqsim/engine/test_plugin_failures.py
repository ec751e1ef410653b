from __future__ import annotations

import pytest
from roqsim.errors import BuildError, PluginError, RoqsimError
from roqsim.testing import HookTracker

from roqsim import Engine, load_config

DOCUMENT = {
    "components": [
        {"roqsim.testing.tracker:HookTracker": {}, "name": "first"},
        {"roqsim.testing.tracker:HookTracker": {}, "name": "bad"},
        {"roqsim.testing.tracker:HookTracker": {}, "name": "last"},
    ]
}


def failing(hook: str) -> dict:
    entries = [dict(entry) for entry in DOCUMENT["components"]]
    entries[1]["roqsim.testing.tracker:HookTracker"] = {"raise_in": hook}
    return {"components": entries}


@pytest.mark.parametrize("hook", ["build", "configure", "on_reset", "pre_step", "post_step"])
def test_a_plugin_that_raises_is_named_with_its_hook_and_the_others_are_shut_down(world, hook):
    HookTracker.journal.clear()
    with pytest.raises(PluginError, match=f"bad: {hook} failed: ValueError: {hook} was told to fail") as caught:
        world(failing(hook)).step()
    assert caught.value.address == "bad"
    assert caught.value.hook == hook
    assert [name for name, called, _ in HookTracker.journal if called == "shutdown"] == ["last", "bad", "first"]


def test_a_failing_shutdown_is_logged_and_the_others_still_run(world, caplog):
    HookTracker.journal.clear()
    engine = world(failing("shutdown"))
    engine.shutdown()
    assert [name for name, called, _ in HookTracker.journal if called == "shutdown"] == ["last", "bad", "first"]
    assert "bad: shutdown failed" in caplog.text


def test_the_status_of_every_component_can_be_read(world):
    engine = world(failing("pre_step"))
    assert {status.state for status in engine.status().values()} == {"loaded"}
    with pytest.raises(PluginError):
        engine.step()
    assert engine.status()["bad"].state == "failed"
    assert "told to fail" in engine.status()["bad"].reason
    assert engine.status()["last"].state == "loaded"


@pytest.mark.parametrize("hook", ["__init__", "build", "configure", "on_reset"])
def test_a_plugin_that_ends_the_process_is_one_that_fails(tmp_path, hook):
    arguments = {"__init__": "config=None, *, name=None", "build": "spec, ctx"}.get(hook, "ctx")
    (tmp_path / "quitter.py").write_text(
        f"import sys\nfrom roqsim import Plugin\nclass Quitter(Plugin):\n    def {hook}(self, {arguments}):\n"
        "        sys.exit(0)\n"
    )
    path = tmp_path / "world.yaml"
    path.write_text("components:\n- './quitter.py:Quitter': {}\n  name: bad\n")
    place = rf"SystemExit: 0 at {tmp_path}/quitter\.py:5; its entry is at {path}:2$"
    with pytest.raises(PluginError, match=place) as caught, Engine(load_config(path)) as engine:
        engine.step()
    assert (caught.value.address, caught.value.hook) == ("bad", hook)


def test_a_failing_build_is_in_the_status_too():
    from roqsim import Engine, load_config_from_dict

    engine = Engine(load_config_from_dict(failing("build"), "."))
    with pytest.raises(PluginError):
        engine.setup()
    assert engine.status()["bad"].state == "failed"


def test_a_version_of_mujoco_that_is_known_to_be_wrong_is_named(world, monkeypatch, caplog):
    import mujoco

    monkeypatch.setattr(mujoco, "__version__", "4.0.0")
    world({"components": []})
    assert "mujoco 4.0.0: its sparse Cholesky" in caplog.text


REFUSALS = {
    "build": "raise RoqsimError(f'{self.address}: expected a wall, got none; build one')",
    "configure": "raise ConfigError(f'{self.address}.body: expected a body, got 7')",
    "on_reset": "raise NotFoundError('there is no such thing; look elsewhere')",
    "pre_step": "raise PluginError(f'{self.address}: expected coffee, got tea; brew', address=self.address)",
}


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        ("build", "bad: expected a wall, got none at {}:4; build one"),
        ("configure", "bad.body: expected a body, got 7 at {}:4"),
        ("on_reset", "bad: there is no such thing; look elsewhere; its entry is at {}:4"),
        ("pre_step", "bad: expected coffee, got tea at {}:4; brew"),
    ],
)
def test_what_a_component_refuses_is_told_with_the_line_of_its_entry(tmp_path, hook, told):
    arguments = "spec, ctx" if hook == "build" else "ctx"
    (tmp_path / "bad.py").write_text(
        "from roqsim import Plugin\nfrom roqsim.errors import *\n"
        f"class Bad(Plugin):\n    def {hook}(self, {arguments}):\n        {REFUSALS[hook]}\n"
    )
    path = tmp_path / "world.yaml"
    path.write_text("components:\n- dummy\n\n- './bad.py:Bad': {}\n  name: bad\n")
    with pytest.raises(RoqsimError) as caught, Engine(load_config(path)) as engine:
        engine.step()
    assert str(caught.value) == told.format(path)


def test_what_mujoco_refuses_is_told_with_the_line_of_the_entry_that_added_it(tmp_path):
    (tmp_path / "ghost.xml").write_text("<mujoco><worldbody><body name='ghost'/></worldbody></mujoco>")
    path = tmp_path / "world.yaml"
    path.write_text("components:\n- dummy\n- spawn_model: {model: ghost.xml}\n")
    with pytest.raises(BuildError, match=rf"^spawn_model: .* at {path}:3$"):
        Engine(load_config(path)).setup()
