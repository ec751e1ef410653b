"""What MoveIt wants to know of a robot beside its URDF: groups, states, and which links need no collision check."""
