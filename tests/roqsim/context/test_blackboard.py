from __future__ import annotations

import pytest
from roqsim.context import Blackboard
from roqsim.errors import NotFoundError


def test_a_value_is_found_under_its_key():
    board = Blackboard()
    board.set("robot:alice", 3)
    assert board.get("robot:alice") == board.require("robot:alice", int) == 3
    assert "robot:alice" in board
    assert board.keys() == ["robot:alice"]


def test_a_later_value_replaces_an_earlier_one():
    board = Blackboard()
    board.set("k", 1)
    board.set("k", None)
    assert board.get("k", "default") is None


def test_what_is_missing_has_a_default_but_can_not_be_required():
    board = Blackboard()
    board.set("robot:alice", 3)
    assert board.get("robot:bob", 7) == 7
    with pytest.raises(NotFoundError, match=r"got nothing; did you mean 'robot:alice'\?"):
        board.require("robot:alise")


def test_a_value_of_another_class_is_refused_naming_both():
    board = Blackboard()
    board.set("robot:alice", "text")
    with pytest.raises(NotFoundError, match="expected 'int' under 'robot:alice', got 'str'"):
        board.require("robot:alice", int)
