"""The command line: parses, calls and prints; no mathematics."""
