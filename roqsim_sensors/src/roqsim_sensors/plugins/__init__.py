"""The plugins of roqsim_sensors, one file each."""
