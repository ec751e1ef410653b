"""The tick: what runs in it, when, and what happens when something goes wrong."""

from roqsim.engine.engine import Engine

__all__ = ["Engine"]
