"""Reads and writes the messages of a call (docs/reference/wire.md)."""
