"""The subset dynamic program behind `solve.optimal`, twice: in plain integers, and compiled.

What both do (docs/theory.md, Target loss). A subset R is the top part of an order; ranking item i right below
it costs the sum of rest_ij over j in R, and every order pays one such price an item. Upwards, the least loss
of every subset is found; downwards from the whole set, the steps that attain it, whose paths are exactly the
optimal orders.
"""
