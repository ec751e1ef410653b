"""Handing worlds and recordings to other programs: a file or folder per format, written beside and moved into place."""
