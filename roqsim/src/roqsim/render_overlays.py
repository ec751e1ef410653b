"""What an overlay of ``roqsim render`` is made with: where it stands, and how an image is laid over a frame."""

from __future__ import annotations

from roqsim.rendering.overlays import ANCHORS, Overlay, Placement, paste

__all__ = ["ANCHORS", "Overlay", "Placement", "paste"]
