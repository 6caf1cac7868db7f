"""Bytes that the hooks and the rest agree on. These modules are pure and import little."""
