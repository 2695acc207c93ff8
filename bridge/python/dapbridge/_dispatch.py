"""Which function of this package does the work of a numpy function on distributed arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_implementations: dict[Any, Callable[..., Any]] = {}

#: Functions without arguments. Each imports a module that registers implementations, once one is asked for.
loaders: list[Callable[[], object]] = []


def implements(function: Any) -> Callable[[_Function], _Function]:
    """Registers the decorated function as the implementation of a numpy function."""

    def register(implementation: _Function) -> _Function:
        _implementations[function] = implementation
        return implementation

    return register


def implementation_of(function: Any) -> Callable[..., Any] | None:
    """The registered implementation; None: there is none."""
    while function not in _implementations and loaders:
        loaders[-1]()
        loaders.pop()
    return _implementations.get(function)
