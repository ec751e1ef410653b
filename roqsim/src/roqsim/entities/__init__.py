"""What entities can be told while a world runs: where to be, and whether to be there."""
