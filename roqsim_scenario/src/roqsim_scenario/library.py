"""Where scenario-execution finds the declarations of the actions."""

from __future__ import annotations


def get_osc_library() -> tuple[str, str]:
    """The package that holds the library and the name of its file in the folder ``lib_osc``."""
    return "roqsim_scenario", "roqsim.osc"
