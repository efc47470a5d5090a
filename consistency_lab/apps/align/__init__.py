"""Align."""
