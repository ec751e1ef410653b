"""What every sensor stands on: its base class and configuration, its mount, faults, and what MuJoCo solves."""
