"""What a run was: poses, joints, contacts, sensors and energy of a recording as tables, plots, and its health."""
