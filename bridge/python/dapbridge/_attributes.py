"""Properties that raise AttributeError if an object does not have them, or no longer has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ._errors import ArgumentError, NotHereError


def without_raising(kind: type[Any]) -> None:
    """Makes the properties of a class raise AttributeErrors, so that hasattr() returns False and completion works."""

    def guarded(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @wraps(get)
        def attribute(self: Any) -> Any:
            try:
                return get(self)
            except ArgumentError as e:
                raise NotHereError(str(e), e.rank, e.rule) from None

        return attribute

    for name, value in list(vars(kind).items()):
        if isinstance(value, property) and value.fget:
            setattr(kind, name, property(guarded(value.fget)))
