"""The plugins that come with the core, one file each."""
