"""Sensors that measure distances by rays: patterns, how a distance is measured, what a surface sends back."""
