"""``python -m roqsim``: the command line, for whom the script is not on the path."""

from __future__ import annotations

from roqsim.cli import main

if __name__ == "__main__":
    main(prog_name="python -m roqsim")
