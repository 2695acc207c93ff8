"""Checks of numbers from callers. Errors name the argument. Floats are refused as integers, not rounded."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

_N = TypeVar("_N", int, float)


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


def real(value: Any, what: str) -> float:
    """Returns the value as a float."""
    try:
        return float(value)
    except (TypeError, ValueError) as e:
        raise type(e)(f"{what}: {value!r} is not a real number") from None


def number(value: Any, what: str) -> complex:
    """Returns the value as a complex number."""
    try:
        return complex(value)
    except (TypeError, ValueError) as e:
        raise type(e)(f"{what}: {value!r} is not a number") from None


def two_of(values: Any, what: str, read: Callable[[Any, str], _N]) -> tuple[_N, _N]:
    """Returns two values, each as `read` returns it."""
    try:
        low, high = values
    except (TypeError, ValueError) as e:
        raise type(e)(f"{what}: {values!r} is not a pair") from None
    return read(low, what), read(high, what)
