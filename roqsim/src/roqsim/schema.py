"""What programs need that check the keys of a world without loading it."""

from __future__ import annotations

INJECTED_KEYS: frozenset[str] = frozenset()
"""The keys that every component takes beside those that its plugin publishes: none.

What a manifest or a carrier brings into a component has to be among its plugin's own keys, and what an entry may carry
beside its configuration (``name``, ``components``, ``enabled``, ``present``) does not stand in it.
"""
