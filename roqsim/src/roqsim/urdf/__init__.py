"""Robot descriptions in URDF: checked, read by MuJoCo, and told what became of them.

``roqsim.urdf.reader.read_urdf`` is the whole of it; ``roqsim.spawning.placement.load_child`` calls it for every model
whose file is a URDF. The way back is ``roqsim.export.urdf``.
"""
