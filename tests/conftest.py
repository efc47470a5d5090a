"""The same few random examples on every machine and in every run, however slow the machine is."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=30)
settings.load_profile("repeatable")
