"""The plugins of roqsim_mobile, one file each."""
