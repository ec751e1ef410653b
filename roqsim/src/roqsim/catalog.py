"""``python -m roqsim.catalog models | worlds | model NAME``: what can be spawned and run, as JSON."""

from __future__ import annotations

from roqsim.cli.module_entry import answer

if __name__ == "__main__":
    answer("python -m roqsim.catalog", {word: word for word in ("models", "worlds", "model")})
