"""Changing values of the compiled model while it runs: what may change, how it is undone, whether it had an effect."""
