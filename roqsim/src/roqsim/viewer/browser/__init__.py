"""The page in a browser: a process of its own that serves MuJoCo Studio, fed by the run and never waited for."""
