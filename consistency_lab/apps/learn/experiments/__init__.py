"""The experiments of the papers, run again; each returns its measurements as a plain document."""
