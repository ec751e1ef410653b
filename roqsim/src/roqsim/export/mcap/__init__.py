"""A run with well-known messages: what Foxglove, rerun and the tools of ROS 2 open."""

from roqsim.export.mcap.run import export_mcap

__all__ = ["export_mcap"]
