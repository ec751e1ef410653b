from __future__ import annotations

from pathlib import Path

import pytest
from roqsim.viewer import keys
from roqsim.viewer.keys import Key, KeyMap, key_list

ALL = [value for value in vars(keys).values() if isinstance(value, Key)]


def test_the_list_names_exactly_the_keys_that_have_a_handler():
    pressed = []
    owned = KeyMap({keys.LIST: lambda: pressed.append("list")}, {keys.PAUSE: lambda: pressed.append("pause")})
    assert key_list(owned.keys) == ("F1\nSpace", "show or hide this list\npause or go on")
    assert [owned.press(key.code) for key in (keys.PAUSE, keys.LIST, keys.FLY)] == [True, True, False]
    assert pressed == ["pause", "list"]


def test_two_owners_of_one_key_are_refused():
    with pytest.raises(ValueError, match="expected one handler a key, got another for 'F1'"):
        KeyMap({keys.LIST: lambda: None}, {keys.LIST: lambda: None})


def test_no_two_keys_share_a_number_a_label_or_a_meaning():
    for column in zip(*((key.code, key.label, key.does) for key in ALL), strict=True):
        assert len(set(column)) == len(ALL)


def test_the_manual_lists_every_key():
    manual = (Path(__file__).parents[3] / "docs" / "viewing.md").read_text(encoding="utf-8")
    assert [key.label for key in ALL if f"| {key.label} | {key.does} |" not in manual] == []
