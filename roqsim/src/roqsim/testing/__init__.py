"""Tools to test plugins and worlds with: a world in a line, a hook tracker, the plugin contract, the reset audit.

With pytest they come as fixtures too (``roqsim.testing.pytest_plugin``, found by itself once roqsim is installed).
"""

from roqsim.testing.audit import Series, differences, record, reset_audit
from roqsim.testing.contract import check_plugin
from roqsim.testing.tracker import HookTracker
from roqsim.testing.worlds import world

__all__ = ["HookTracker", "Series", "check_plugin", "differences", "record", "reset_audit", "world"]
