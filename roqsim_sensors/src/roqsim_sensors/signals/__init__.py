"""Signals that vary in time: what a moving body feels, the air and the Earth around it, noise and drift."""
