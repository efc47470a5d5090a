"""Exact arithmetic decides: build certificates, and let the core have the last word."""
