"""The kernel's checker of witnesses about finite prediction tasks (RAT13 Definition 1).

It derives labels, losses, features, atoms, closed cells of decoders and conditions by itself.
"""
