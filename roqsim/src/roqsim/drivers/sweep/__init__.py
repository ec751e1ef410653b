"""Many runs of one world: the plan of what is varied, each trial in a process of its own, one table of results."""
