"""Ground robots: wheeled bases, their floor plans and courses."""
