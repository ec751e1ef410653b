"""Sensors that any robot can carry."""
