"""The command line: ``roqsim COMMAND …``, one thin module a command."""

from __future__ import annotations

from roqsim.cli.group import CommandLine

main = CommandLine("roqsim")

__all__ = ["main"]
