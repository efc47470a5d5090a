"""The one base exception of the project and its three kinds."""

__all__ = ["ConsistencyLabError", "InputError", "RejectedError", "UnsupportedError"]


class ConsistencyLabError(Exception):
    """Base of every error that this package raises on purpose.

    The message is one sentence that names the offending thing and says what would be right.
    """


class InputError(ConsistencyLabError, ValueError):
    """What the user typed, or what a file contains, is not a well-posed question."""


class UnsupportedError(ConsistencyLabError):
    """The question is well posed, but this version cannot treat it exactly."""


class RejectedError(ConsistencyLabError):
    """The kernel does not accept a witness: the message names the first claim that fails."""
