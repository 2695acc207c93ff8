"""numpy's protocols: operators, ufuncs and functions of numpy on distributed arrays and lazy views."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ._dispatch import Implementation, implementation_of
from ._entry import Distributed, enter, widest
from ._operators import Operators


class NumpyProtocols(Operators, Distributed):
    """Base of classes with elements on several processes. This class receives numpy's operators and functions."""

    _advice = "use .local or .owned, this process's part, or gather(), all elements: numpy arrays"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(_is_foreign(x) for x in (*inputs, *options.get("out", ()))):
            return NotImplemented
        if method == "reduce":
            return self._reduce(ufunc, *inputs, **options)
        name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        implementation = implementation_of(ufunc if ufunc.signature else np.ufunc)
        if method != "__call__" or implementation is None:
            raise TypeError(f"numpy.{name} is not for distributed arrays: {self._advice}")
        if ufunc.signature:
            return _call(f"numpy.{name}", implementation, inputs, options)
        return implementation.function(ufunc, inputs, options)

    def _reduce(self, ufunc: np.ufunc, array: Any, axis: Any = 0, **options: Any) -> Any:
        """Implements ``np.add.reduce(a)`` as ``np.sum(a, 0)``."""
        implementation = implementation_of((ufunc, "reduce"))
        if implementation is None:
            raise TypeError(f"numpy.{ufunc.__name__}.reduce is not for distributed arrays: {self._advice}")
        return _call(f"numpy.{ufunc.__name__}.reduce", implementation, (array, axis), options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(t, (NumpyProtocols, np.ndarray)) for t in types):
            return NotImplemented
        name = f"{function.__module__}.{function.__name__}"
        implementation = implementation_of(function)
        if implementation is None:
            raise TypeError(f"{name} is not for distributed arrays: {self._advice}")
        return _call(name, implementation, args, kwargs)

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a distributed array has no truth value: (a == b).all() and (a == b).any() have, and so has "
            "np.array_equal(a, b)"
        )

    def _no_number(self) -> NoReturn:
        raise TypeError("a distributed array is not a number: gather() gives that of a[0, 0], float(a[0, 0].gather())")

    __float__ = __int__ = __complex__ = _no_number

    def __iter__(self) -> NoReturn:
        raise TypeError(f"a distributed array is not iterable: {self._advice}")


def _is_foreign(x: Any) -> bool:
    """True if an operand has another array protocol. numpy then uses that protocol."""
    own = getattr(type(x), "__array_ufunc__", np.ndarray.__array_ufunc__)
    return not isinstance(x, NumpyProtocols) and own is not np.ndarray.__array_ufunc__


def _call(name: str, implementation: Implementation, args: Any, options: Any) -> Any:
    """Calls the function. If it is collective, all processes agree on the arguments first."""
    comm = widest(args, options, implementation.is_own) if implementation.is_collective else None
    if comm is not None:
        enter(name, implementation, args, options, comm)
    return implementation.function(*args, **options)
