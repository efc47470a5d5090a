"""What the statements on tasks stand on: their distributions, programs and constructions."""
