"""Integers from callers. A value that numpy does not accept as an integer is refused, not rounded."""

from __future__ import annotations

import operator
from typing import Any


def integer(value: Any, what: str) -> int:
    """Returns the value as an int. `what` names the value in the error."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: {value!r} is not an integer") from None


def integers(values: Any, what: str) -> tuple[int, ...]:
    """Returns the values as ints."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{what} is {values!r}, not a sequence of integers")
    return tuple(integer(n, what) for n in values)
