"""Structure functions, one file each: what several judgments of a query say together."""
