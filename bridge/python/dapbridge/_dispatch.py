"""The functions of this package that implement numpy's functions for distributed arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Implementation(NamedTuple):
    function: Callable[..., Any]
    #: Receives all arguments, and raises an error if they contradict each other. None: the function checks them.
    check: Callable[..., Any] | None
    #: True if the processes must pass the same arguments at the beginning. Most functions compare them later.
    is_compared: bool
    #: False if each process can call the function without the others.
    is_collective: bool
    #: True if the function is collective on `comm` of arrays, not on `over`.
    is_own: bool


_implementations: dict[Any, Implementation] = {}

#: Functions without arguments. Each one imports a module that registers implementations, when the first one is
#: requested.
loaders: list[Callable[[], object]] = []


def implements(
    function: Any,
    check: Callable[..., Any] | None = None,
    is_compared: bool = False,
    is_collective: bool = True,
    is_own: bool = False,
) -> Callable[[_Function], _Function]:
    """Registers the decorated function as the implementation of a numpy function."""

    def register(implementation: _Function) -> _Function:
        _implementations[function] = Implementation(implementation, check, is_compared, is_collective, is_own)
        return implementation

    return register


def implementation_of(function: Any) -> Implementation | None:
    """Returns the registered implementation, or None if there is none."""
    while function not in _implementations and loaders:
        loaders[-1]()
        loaders.pop()
    return _implementations.get(function)
