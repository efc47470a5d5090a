"""The theorem book: what the papers state, and what we add, checked by machine; for `reproduce` alone."""
