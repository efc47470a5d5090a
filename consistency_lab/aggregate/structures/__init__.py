"""Structure functions: what several judgments of a query say together."""
