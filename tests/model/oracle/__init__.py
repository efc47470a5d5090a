"""Losses, surrogates, decoders, conditions and fields as the documents define them, from nothing else.

Written from docs/proof-format.md and docs/fields.md with python-flint and the standard library alone. What a
thing is called and its parameters come as the plain entries of a proof file (`describe()`); what does not
fit raises `Misfit`. Expressions are looked up by their text: only those of the tests are known.
"""
