"""Sensors that take pictures: geometry, distortion, the streams of a picture, and markers for cameras to find."""
