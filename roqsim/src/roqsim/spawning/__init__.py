"""Bringing models into a world: where they go, what they are called, how they are driven, which frames they have."""
