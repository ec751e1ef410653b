"""Forces from outside on bodies: their course over time, and who applies how much at a step."""
