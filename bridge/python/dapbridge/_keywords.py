"""Errors about unknown keyword arguments. All processes raise the error, which names the nearest keyword."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from mpi4py import MPI

from . import _core
from ._comms import require_mpi
from ._errors import NO_KEYWORD, WRONG_CALL, KeywordError

_P = ParamSpec("_P")
_R = TypeVar("_R")


def spelled(agreed_as: str, comm_of: Callable[[Any], Any]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorates a method that is collective on ``comm_of(argument)``. `argument` is the first that is not a class.

    `agreed_as` is the name that the method uses in its first agreement on that communicator.
    """
    return spelled_by(agreed_as, lambda given: comm_of(next(a for a in given if not isinstance(a, type))))


def spelled_on(agreed_as: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorates a function that is collective on a communicator among its arguments."""
    return spelled_by(agreed_as, lambda given: next((c for c in given if isinstance(c, MPI.Comm)), None))


def spelled_by(agreed_as: str, comm_of: Callable[[list[Any]], Any]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorates a function that is collective on ``comm_of(arguments)``."""

    def decorate(method: Callable[_P, _R]) -> Callable[_P, _R]:
        names = list(signature(method).parameters)

        @wraps(method)
        def call(*args: _P.args, **options: _P.kwargs) -> _R:
            if not options.keys() <= known:
                refuse(comm_of([*args, *options.values()]), agreed_as, name, options, names)
            return method(*args, **options)

        name = method.__qualname__.removesuffix(".__init__").rpartition(".")[2]
        known = frozenset(names)
        return call

    return decorate


def view_method(
    kind: Callable[Concatenate[Any, _P], _R], agreed_as: str
) -> Callable[[Callable[[Any], Any]], Callable[Concatenate[Any, _P], _R]]:
    """Decorates a method of arrays that makes a view. The method has the parameters of the view's class."""

    def decorate(method: Callable[[Any], Any]) -> Callable[Concatenate[Any, _P], _R]:
        names = list(signature(kind).parameters)
        known = frozenset(names)

        @wraps(method)
        def call(self: Any, /, *args: _P.args, **options: _P.kwargs) -> _R:
            if not options.keys() <= known:
                refuse(self.comm, agreed_as, method.__name__, options, names)
            return kind(self, *args, **options)

        own = signature(method).parameters["self"]
        rest = list(signature(kind).parameters.values())[1:]
        setattr(call, "__signature__", signature(method).replace(parameters=[own, *rest]))
        return call

    return decorate


def require_fit(name: str, function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Raises KeywordError unless `function`, which users call `name`, can be called with these arguments."""
    known = signature(function)
    try:
        known.bind(*args, **options)
    except TypeError as e:
        if options.keys() <= known.parameters.keys():
            raise KeywordError(f"{name}{WRONG_CALL}{e}") from None
        raise KeywordError(_no_keyword(name, options, known.parameters)) from None


def _no_keyword(method: str, given: Iterable[str], names: Iterable[str]) -> str:
    """Returns a text that names an unknown keyword, and the nearest keyword or all keywords of the function."""
    known = [name for name in names if name not in ("self", "cls", "array")]
    wrong = next(name for name in given if name not in known)
    near = difflib.get_close_matches(wrong, known, 1)
    advice = f"; did you mean {near[0]!r}?" if near else f": {', '.join(known)}"
    return f"{method}{NO_KEYWORD}{wrong!r}{advice}"


def refuse(comm: MPI.Comm | None, agreed_as: str, method: str, given: Iterable[str], names: Iterable[str]) -> None:
    """Raises KeywordError on all processes, even on those that have not passed the keyword."""
    text = _no_keyword(f"{method}()", given, names)
    if comm is None or comm == MPI.COMM_NULL:
        raise KeywordError(text)
    require_mpi()
    _core.agree(comm.py2f(), agreed_as, _core.STATUSES.index(KeywordError.status), text)
