"""``check_plugin`` finds what it is there to find: one plugin for each way to break the contract."""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass

import pytest
from roqsim.config.schema import opt
from roqsim.context import Endpoint
from roqsim.plugin import Plugin
from roqsim.testing import check_plugin, reset_audit


@dataclass(frozen=True, kw_only=True)
class GoodConfig:
    """A configuration as it should be."""

    gain: float = opt(1.0, gt=0)
    """A factor."""


class Good(Plugin):
    """Sums its own steps and starts anew at every reset."""

    Config = GoodConfig

    def configure(self, ctx):
        self.total = 0.0
        self.is_on = False
        ctx.interface.add(Endpoint("total", "out", self.address, read=lambda: self.total))
        ctx.interface.add(Endpoint("switch", "in", self.address, write=self.switch))

    def switch(self, payload):
        if not isinstance(payload, bool):
            raise TypeError(f"expected true or false, got {payload!r}")
        self.is_on = payload

    def on_reset(self, ctx):
        self.total, self.is_on = 0.0, False

    def post_step(self, ctx):
        self.total += self.config.gain + 10.0 * self.is_on


class Forgetful(Good):
    """Goes on counting after a reset."""

    def on_reset(self, ctx):
        self.is_on = False


class Stubborn(Good):
    """Stays switched on after a reset."""

    def on_reset(self, ctx):
        self.total = 0.0


class Meddler(Good):
    """Writes into the state after the physics."""

    def post_step(self, ctx):
        super().post_step(ctx)
        ctx.data.qvel[0] = 0.5


class Moody(Good):
    """Gives other numbers in every run."""

    runs = itertools.count()

    def configure(self, ctx):
        super().configure(ctx)
        self.offset = next(self.runs)

    def post_step(self, ctx):
        self.total += self.offset


class Wordy(Good):
    """Takes more than its hook is given."""

    def pre_step(self, ctx, more):
        """Never runs."""


class Wordless(Good):
    pass


class Untyped(Plugin):
    """States neither a Config nor checks of its own."""


@dataclass
class LooseConfig:
    """Can be changed, and by position."""

    gain: float = 1.0


class Loose(Good):
    """Has a configuration that anybody can change."""

    Config = LooseConfig


@dataclass(frozen=True, kw_only=True)
class SilentConfig:
    """Says nothing about its field."""

    gain: float = opt(1.0)


class Silent(Good):
    """Has an undocumented key."""

    Config = SilentConfig
    expansion_keys = ("modle",)


@pytest.fixture
def document(monkeypatch):
    """A world with a falling box and one plugin."""
    monkeypatch.setitem(sys.modules, "broken_contracts", sys.modules[__name__])
    crate = {"name": "crate", "size": [0.2, 0.2, 0.2], "pose": {"position": {"z": 1.0}}}

    def of(cls):
        return {
            "components": [{"boxes": {"instances": [crate]}}, {f"broken_contracts:{cls.__name__}": {}, "name": "it"}]
        }

    return of


def faults(cls, document):
    """What is found, but for the name of the configuration, which the classes above share."""
    with pytest.raises(AssertionError) as caught:
        check_plugin(cls, document, seconds=0.3)
    return [line for line in str(caught.value).splitlines() if not line.endswith("got GoodConfig")]


def test_a_plugin_that_keeps_the_contract_passes(document):
    check_plugin(Good, document(Good), seconds=0.3)


@pytest.mark.parametrize("cls", [Forgetful, Stubborn])
def test_a_state_that_survives_a_reset_is_found(cls, document):
    (fault,) = faults(cls, document(cls))
    assert fault.startswith(f"{cls.__name__}: reset: it/total: ")


def test_what_a_command_switched_on_is_found_by_the_audit_of_the_world(world, document):
    assert reset_audit(world(document(Good)), 0.2) == []
    (difference,) = reset_audit(world(document(Stubborn)), 0.2)
    assert difference == "it/total: 100 of 101 values differ, first number 1"


def test_a_write_into_the_state_after_the_physics_is_found(document):
    assert faults(Meddler, document(Meddler)) == ["Meddler: post_step: expected no write into the state, got one by it"]


def test_a_result_that_differs_from_run_to_run_is_found(document):
    (fault,) = faults(Moody, document(Moody))
    assert fault.startswith("Moody: seed: it/total: ")


def test_a_configuration_of_another_name_is_found(document):
    with pytest.raises(AssertionError, match=r"^Moody: Config: expected the name MoodyConfig, got GoodConfig$"):
        check_plugin(Moody)


def test_a_hook_that_takes_something_else_is_found():
    assert faults(Wordy, None) == ["Wordy: pre_step: expected the parameters self, ctx, got self, ctx, more"]


def test_a_class_without_a_word_about_itself_is_found():
    (fault,) = faults(Wordless, None)
    assert fault == "Wordless: expected a docstring on the class"


def test_a_class_that_takes_anything_unchecked_is_found():
    assert faults(Untyped, None) == ["Untyped: expected a Config dataclass or a validate_config of its own"]


def test_a_configuration_that_can_change_is_found():
    (fault,) = faults(Loose, None)
    assert fault.startswith("Loose: Config: expected a frozen dataclass, got ")


def test_undocumented_keys_and_keys_that_are_none_are_found():
    assert faults(Silent, None) == [
        "Silent: Config.gain: expected a docstring under the field",
        "Silent: expansion_keys: expected a field of Config, got 'modle'",
    ]


def test_what_is_no_plugin_is_refused():
    assert faults(int, None) == ["expected a subclass of roqsim.Plugin, got <class 'int'>"]


def test_a_world_may_name_the_plugin_by_its_file(document):
    entry = document(Meddler)["components"]
    entry[1] = {f"{__file__}:Meddler": {}, "name": "it"}
    assert faults(Meddler, {"components": entry}) == [
        "Meddler: post_step: expected no write into the state, got one by it"
    ]


def test_a_world_without_the_plugin_proves_nothing(document):
    (fault,) = faults(Good, {"components": ["dummy"]})
    assert fault == "Good: world: expected a component of this class, got ['Dummy']"
