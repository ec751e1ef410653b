from __future__ import annotations

import pytest
from roqsim.errors import PluginError
from roqsim.testing import HookTracker

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
