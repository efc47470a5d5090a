"""The version of this package: what its files name, and what is installed."""

__version__ = "0.1.0"
