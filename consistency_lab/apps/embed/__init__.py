"""Which finite loss a sum of maxima solves, and whether any decoder makes it right for a target."""
