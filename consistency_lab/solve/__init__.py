"""Floats propose: minimizers of W, optimal orders, linear programs.

Import from the modules themselves: each brings in only what it needs.
"""
