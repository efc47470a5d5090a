"""Exact arithmetic decides: build certificates, and let the kernel have the last word."""
