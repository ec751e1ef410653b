"""What a scenario of scenario-execution can ask of a running world and do to it: ``import osc.roqsim``."""
