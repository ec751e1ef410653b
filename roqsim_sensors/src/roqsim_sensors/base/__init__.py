"""What several kinds of sensors stand on beside ``roqsim.sensing``: values that MuJoCo solves for."""
