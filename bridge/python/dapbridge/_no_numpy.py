"""What numpy's arrays can, and distributed ones refuse, with advice what to use."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ._dispatch import implementation_of


class NoNumpy:
    """Base of what has the elements of several processes: no arithmetic but ``@``, no iteration, no number."""

    _advice = "use .local or .owned, this process's part, or gather(), all elements: numpy arrays"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        implementation = implementation_of(ufunc) if method == "__call__" and not options else None
        if implementation is None:
            raise TypeError(f"numpy.{ufunc.__name__} is not for distributed arrays: {self._advice}")
        return implementation(*inputs)

    def __matmul__(self, other: Any) -> Any:
        return self.__array_ufunc__(np.matmul, "__call__", self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.__array_ufunc__(np.matmul, "__call__", other, self)

    def _no_arithmetic(self, *others: Any) -> NoReturn:
        raise TypeError(f"distributed arrays have no arithmetic but @: {self._advice}")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_arithmetic
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _no_arithmetic
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _no_arithmetic
    __neg__ = __pos__ = __abs__ = __invert__ = _no_arithmetic
    __lt__ = __le__ = __gt__ = __ge__ = _no_arithmetic

    def _no_number(self) -> NoReturn:
        raise TypeError("a distributed array is no number: gather() gives that of a[0, 0], float(a[0, 0].gather())")

    __float__ = __int__ = __complex__ = _no_number

    def __iter__(self) -> NoReturn:
        raise TypeError(f"a distributed array is not iterable: {self._advice}")
