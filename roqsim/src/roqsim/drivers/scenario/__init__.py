"""Stepping a world from scenario-execution: trials, the deployment around them, and what a scenario can reach."""
