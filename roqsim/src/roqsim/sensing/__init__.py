"""What every sensor has in common: mount, cadence, demand, latency and faults."""
