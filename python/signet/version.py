"""The version of the package, which is that of the project."""

VERSION = "0.1.0"
