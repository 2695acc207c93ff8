"""Methods of numpy's arrays that are also functions of numpy."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from ._keywords import spelled
from ._protocols import NumpyProtocols

Axis = Union[int, tuple[int, ...], None]


class NumpyMethods(NumpyProtocols):
    """Reductions and other functions that numpy's arrays also have as methods.

    All methods are collective on `over`. Each element counts once: padding, ghosts and additional copies do not count.

    The result of a reduction over all axes is a number, with the same bits on every process. The result of a reduction
    over some axes is an array. If each reduced axis is on only one process, the remaining axes keep their distribution.
    Otherwise the result is replicated, so that its ``.local`` contains all elements. With ``keepdims=True``, the
    remaining axes always keep their distribution.
    """

    def _by(self, function: Any, *args: Any, **options: Any) -> Any:
        """Calls numpy's function, which calls the implementation through numpy's protocol."""
        return function(self, *args, **options)

    def sum(self, axis: Axis = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
        """Returns the sum over all or some axes, as `numpy.sum` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        dtype : optional
            Element type of the sums and of the result. None means the type that numpy chooses.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.

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
        """Returns the product over all or some axes, as `numpy.prod` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        dtype : optional
            Element type of the products and of the result. None means the type that numpy chooses.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.prod, axis, dtype, keepdims=keepdims)

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """Returns the smallest element over all or some axes, as `numpy.min` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.min, axis, keepdims=keepdims)

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """Returns the largest element over all or some axes, as `numpy.max` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.max, axis, keepdims=keepdims)

    def mean(self, axis: Axis = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
        """Returns the mean over all or some axes, as `numpy.mean` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        dtype : optional
            Element type of the sums and of the result. None means the type that numpy chooses.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.mean, axis, dtype, keepdims=keepdims)

    def var(
        self, axis: Axis = None, dtype: npt.DTypeLike = None, *, ddof: float = 0, keepdims: bool = False
    ) -> Any:
        """Returns the variance over all or some axes, as `numpy.var` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        dtype : optional
            Element type of the sums and of the result. None means the type that numpy chooses.
        ddof : float
            The sum of squares is divided by the number of elements minus `ddof`.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.var, axis, dtype, ddof=ddof, keepdims=keepdims)

    def std(
        self, axis: Axis = None, dtype: npt.DTypeLike = None, *, ddof: float = 0, keepdims: bool = False
    ) -> Any:
        """Returns the standard deviation over all or some axes, as `numpy.std` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        dtype : optional
            Element type of the sums and of the result. None means the type that numpy chooses.
        ddof : float
            The sum of squares is divided by the number of elements minus `ddof`.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.std, axis, dtype, ddof=ddof, keepdims=keepdims)

    def any(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """Tests whether any element is true, over all or some axes, as `numpy.any` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.any, axis, keepdims=keepdims)

    def all(self, axis: Axis = None, *, keepdims: bool = False) -> Any:
        """Tests whether all elements are true, over all or some axes, as `numpy.all` does. Collective on `over`.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to reduce. None means all axes.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.all, axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Returns the index of the first smallest element, as `numpy.argmin` does. Collective on `over`.

        Parameters
        ----------
        axis : int, optional
            The axis to search. None means that the result is the index in the flattened array, in C order.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.argmin, axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Returns the index of the first largest element, as `numpy.argmax` does. Collective on `over`.

        Parameters
        ----------
        axis : int, optional
            The axis to search. None means that the result is the index in the flattened array, in C order.
        keepdims : bool
            True if the result keeps each reduced axis, with extent 1.
        """
        return self._by(np.argmax, axis, keepdims=keepdims)

    def trace(self, offset: int = 0) -> Any:
        """Returns the sum of a matrix's diagonal, as `numpy.trace` does. Collective on `over`.

        Parameters
        ----------
        offset : int
            The diagonal: the main one (0), one above it (positive) or one below it (negative).
        """
        return self._by(np.trace, offset)

    def diagonal(self, offset: int = 0) -> Any:
        """Returns a matrix's diagonal as a replicated array, as `numpy.diagonal` does. Collective on `over`.

        Parameters
        ----------
        offset : int
            The diagonal: the main one (0), one above it (positive) or one below it (negative).
        """
        return self._by(np.diagonal, offset)

    def dot(self, b: Any) -> Any:
        """Returns the product of this array and a number or an array, as `numpy.dot` does. Collective on `over`.

        Both arrays must have one or two axes.

        Parameters
        ----------
        b : number or array
            The second factor.
        """
        return self._by(np.dot, b)

    def round(self, decimals: int = 0) -> Any:
        """Returns a new array of rounded elements, as `numpy.round` does. Collective on `over`.

        Parameters
        ----------
        decimals : int
            Number of decimal places. A negative number rounds places before the decimal point.
        """
        return self._by(np.around, decimals)

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """Returns a new array whose elements are limited to a range, as `numpy.clip` does. Collective on `over`.

        Parameters
        ----------
        min, max : number or array, optional
            Smallest and largest allowed value. None means no limit.
        """
        return self._by(np.clip, min, max)

    @property
    def real(self) -> Any:
        """The real parts, as a new array. Collective on `over`."""
        return self._by(np.real)

    @property
    def imag(self) -> Any:
        """The imaginary parts, as a new array. Collective on `over`."""
        return self._by(np.imag)


def _over(x: NumpyMethods) -> MPI.Comm:
    over: MPI.Comm = x._array.over
    return over


for _name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "trace", "diagonal",
              "dot", "round", "clip"):  # fmt: skip
    _function = np.around if _name == "round" else getattr(np, _name)
    _method = spelled(f"numpy.{_function.__name__}()", _over)(getattr(NumpyMethods, _name))
    setattr(NumpyMethods, _name, _method)
