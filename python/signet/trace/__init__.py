"""Functions that are written in Python: tracing, control flow, extension types, and models of such functions."""
