"""From a configuration and its plugins to a compiled model."""
