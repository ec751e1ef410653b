from __future__ import annotations

import mujoco
import pytest
from roqsim.rendering.quality import Needs, Quality, Resolved

MODEL = mujoco.MjModel.from_xml_string(
    "<mujoco><visual><quality offsamples='8' shadowsize='2048'/></visual><worldbody/></mujoco>"
)


def test_in_software_everything_left_open_is_off():
    assert Quality().resolve(MODEL, software=True) == Resolved(False, False, 0, 0)


def test_on_a_graphics_card_everything_left_open_is_the_worlds():
    assert Quality().resolve(MODEL, software=False) == Resolved(True, True, 8, 2048)


@pytest.mark.parametrize("software", [True, False])
def test_what_is_stated_holds_everywhere(software):
    stated = Quality(shadows=True, reflections=False, samples=2, shadow_size=512)
    assert stated.resolve(MODEL, software=software) == Resolved(True, False, 2, 512)
    assert not stated.is_automatic
    assert Quality(shadows=True).is_automatic


def test_without_shadows_no_shadow_map_is_kept():
    assert Quality(shadows=False).resolve(MODEL, software=False).shadow_size == 0


def test_needs_are_the_largest_of_all_cameras():
    both = Needs(640, 100, 0, 1024) | Needs(320, 480, 4, 0)
    assert both == Needs(640, 480, 4, 1024)
    assert both.covers(Needs(640, 480, 0, 0))
    assert not both.covers(Needs(641, 1, 0, 0))
