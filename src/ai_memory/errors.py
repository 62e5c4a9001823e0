"""The catalogue of errors a face must tell apart.

Each has a stable ``code``, an HTTP ``status``, a process ``exit`` code, and a message that ends with the next step.
Everything else is a builtin exception.
"""

from __future__ import annotations


class MemoryFault(Exception):
    """Root of the catalogue. ``str(error)`` is a sentence fit for a person or a model."""

    code = "internal"
    status = 500
    exit = 1


class Invalid(MemoryFault):
    """The request itself is wrong: a bad value, a bad path, a body that is not JSON."""

    code = "invalid"
    status = 400
    exit = 2


class ScopeRequired(MemoryFault):
    """A write, or a read that needs one, came without a project that can be named for certain."""

    code = "scope_required"
    status = 400
    exit = 2


class Refused(MemoryFault):
    """No valid token, a foreign origin, a host that is not ours."""

    code = "refused"
    status = 401
    exit = 4


class Forbidden(MemoryFault):
    """The caller is known and may not do this."""

    code = "forbidden"
    status = 403
    exit = 4


class Missing(MemoryFault):
    """The named thing does not exist."""

    code = "not_found"
    status = 404
    exit = 3


class Conflict(MemoryFault):
    """A compare-and-set lost: someone else changed or claimed it first. ``current`` is what holds now."""

    code = "conflict"
    status = 409
    exit = 5

    def __init__(self, message: str, current: object = None) -> None:
        super().__init__(message)
        self.current = current


class TooLarge(MemoryFault):
    """The body is over the cap."""

    code = "too_large"
    status = 413
    exit = 2


class Busy(MemoryFault):
    """The queue is full; ``retry_after`` seconds is a fair time to wait."""

    code = "busy"
    status = 429
    exit = 6

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(MemoryFault):
    """The server does not answer, or another process holds the data directory."""

    code = "unreachable"
    status = 503
    exit = 7
