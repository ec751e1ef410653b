"""A robot of a compiled world as URDF: what ROS, MoveIt and other simulators take a robot from.

``part`` finds the robot, ``assembly`` describes it in URDF's words, ``document`` and ``files`` write them.
"""
