"""A world's geometry for a browser: ``scene.json``, ``scene.bin`` and a picture per texture."""

from roqsim.export.web.scene import export_web

__all__ = ["export_web"]
