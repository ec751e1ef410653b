"""``python -m roqsim.introspection list | describe NAME``: the installed plugins, as JSON."""

from __future__ import annotations

from roqsim.cli.module_entry import answer

if __name__ == "__main__":
    answer("python -m roqsim.introspection", {"list": "plugins", "describe": "plugin"})
