"""What owns the loop around an engine."""
