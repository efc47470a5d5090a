"""Surrogates of finite tasks: each label has a loss of the scores."""
