"""Look for distributions at which a surrogate ranks wrongly; keep only what the core accepts."""
