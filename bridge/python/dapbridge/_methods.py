"""numpy's methods of arrays that are functions of numpy."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from ._keywords import spelled
from ._protocols import NumpyProtocols

Axis = Union[int, tuple[int, ...], None]


class NumpyMethods(NumpyProtocols):
    """Reductions, and what else is a method and a function of numpy.

    All are collective on `over`. Each element counts once: padding, ghosts and further copies do not count. The
    result over all axes is a number, with the same bits on every process. The result over some axes is an array.
    The other axes keep their distribution if the reduced ones are on one process each. Else the array is
    replicated, so that ``.local`` has all of it. ``keepdims=True`` keeps the distribution in any case.
    """

    def _by(self, function: Any, *args: Any, **options: Any) -> Any:
        """numpy's function, which comes to the implementation by numpy's protocol."""
        return function(self, *args, **options)

    def sum(self, axis: Axis = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
        """The sum over all axes or some, as `numpy.sum`. Collective.

        Examples
        --------
        >>> a = dapbridge.from_global(np.arange(6.0).reshape(2, 3), MPI.COMM_SELF)
        >>> print(a.sum(), a.sum(axis=0).gather())
        15.0 [3. 5. 7.]
        >>> (a - a.mean(axis=0)).gather()
        array([[-1.5, -1.5, -1.5],
               [ 1.5,  1.5,  1.5]])
        """
        return self._by(np.sum, axis, dtype, keepdims=keepdims)

    def prod(self, axis: Axis = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
        """The product over all axes or some, as `numpy.prod`. Collective."""
        return self._by(np.prod, axis, dtype, keepdims=keepdims)

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """The smallest element over all axes or some, as `numpy.min`. Collective."""
        return self._by(np.min, axis, keepdims=keepdims)

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """The largest element over all axes or some, as `numpy.max`. Collective."""
        return self._by(np.max, axis, keepdims=keepdims)

    def mean(self, axis: Axis = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
        """The mean over all axes or some, as `numpy.mean`. Collective."""
        return self._by(np.mean, axis, dtype, keepdims=keepdims)

    def var(
        self, axis: Axis = None, dtype: npt.DTypeLike = None, *, ddof: float = 0, keepdims: bool = False
    ) -> Any:
        """The variance over all axes or some, as `numpy.var`. Collective."""
        return self._by(np.var, axis, dtype, ddof=ddof, keepdims=keepdims)

    def std(
        self, axis: Axis = None, dtype: npt.DTypeLike = None, *, ddof: float = 0, keepdims: bool = False
    ) -> Any:
        """The standard deviation over all axes or some, as `numpy.std`. Collective."""
        return self._by(np.std, axis, dtype, ddof=ddof, keepdims=keepdims)

    def any(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """Whether any element is true, over all axes or some, as `numpy.any`. Collective."""
        return self._by(np.any, axis, keepdims=keepdims)

    def all(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """Whether all elements are true, over all axes or some, as `numpy.all`. Collective."""
        return self._by(np.all, axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """The index of the first smallest element, as `numpy.argmin`; without axis in C order. Collective."""
        return self._by(np.argmin, axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """The index of the first largest element, as `numpy.argmax`; without axis in C order. Collective."""
        return self._by(np.argmax, axis, keepdims=keepdims)

    def trace(self, offset: int = 0) -> Any:
        """The sum of a matrix' diagonal, as `numpy.trace`. Collective."""
        return self._by(np.trace, offset)

    def diagonal(self, offset: int = 0) -> Any:
        """A matrix' diagonal, as `numpy.diagonal`: a replicated array. Collective."""
        return self._by(np.diagonal, offset)

    def dot(self, b: Any) -> Any:
        """The product, as `numpy.dot`, of arrays of one or two axes, or with a number. Collective."""
        return self._by(np.dot, b)

    def round(self, decimals: int = 0) -> Any:
        """Rounded elements, as `numpy.round`. Collective."""
        return self._by(np.around, decimals)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """Elements within limits, as `numpy.clip`. Collective."""
        return self._by(np.clip, min, max)

    @property
    def real(self) -> Any:
        """The real parts, a new array. Collective."""
        return self._by(np.real)

    @property
    def imag(self) -> Any:
        """The imaginary parts, a new array. Collective."""
        return self._by(np.imag)


def _over(x: NumpyMethods) -> MPI.Comm:
    over: MPI.Comm = x._array.over
    return over


for _name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "trace", "diagonal",
              "dot", "round", "clip"):  # fmt: skip
    _function = np.around if _name == "round" else getattr(np, _name)
    _method = spelled(f"numpy.{_function.__name__}()", _over)(getattr(NumpyMethods, _name))
    setattr(NumpyMethods, _name, _method)
