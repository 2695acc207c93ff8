"""Lazy views: an array with permuted axes, conjugate elements or another type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ._base import ArrayBase
from ._errors import ArgumentError
from ._integers import integers
from ._methods import NumpyMethods

if TYPE_CHECKING:
    from ._core import PartTuple

_A = TypeVar("_A", bound=ArrayBase)
_Self = TypeVar("_Self", bound="LazyBase[Any]")


class LazyBase(NumpyMethods, Generic[_A]):
    """A lazy view without moves. `Lazy`, the class for users, adds these."""

    _kind = "lazy "
    _advice = "copy() or redistribute() makes an array of the view, whose .local is this process's numpy array"

    def __init__(
        self,
        array: _A,
        axes: tuple[int, ...] | None = None,
        dtype: np.dtype[Any] | None = None,
        is_conjugate: bool = False,
    ) -> None:
        self.array = array
        self.axes = tuple(range(array.ndim)) if axes is None else axes
        self.is_conjugate = is_conjugate
        self._dtype = dtype

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a lazy view has no {name!r}: copy() or redistribute() makes an array of it")

    def __getitem__(self, key: Any) -> NoReturn:
        raise TypeError("a lazy view cannot be sliced: slice the array, or what copy() makes of the view")

    @property
    def _array(self) -> _A:
        return self.array

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents, in the order of the view's axes."""
        return tuple(self.array.shape[k] for k in self.axes)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.axes)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the view."""
        return self._dtype if self._dtype is not None else self.array.dtype.newbyteorder("=")

    @property
    def is_cast(self) -> bool:
        """True if the view's element type differs from the array's."""
        return self._dtype is not None

    @property
    def part(self) -> PartTuple | None:
        """The view's axes, as a part of the array. None means all axes in the array's order."""
        return None if self.axes == tuple(range(self.array.ndim)) else (self.axes, None, None)

    def is_alike(self, other: LazyBase[Any]) -> bool:
        """True if another view changes its array in the same way.

        Parameters
        ----------
        other
            The other view.
        """
        mine = self.axes, self._dtype, self.is_conjugate
        return mine == (other.axes, other._dtype, other.is_conjugate)

    def astype(self: _Self, dtype: npt.DTypeLike) -> _Self:
        """Returns a view with another element type. Elements are converted once, directly from the array's type.

        Parameters
        ----------
        dtype
            The new element type.
        """
        return type(self)(self.array, self.axes, np.dtype(dtype).newbyteorder("="), self.is_conjugate)

    @property
    def T(self: _Self) -> _Self:
        """The view with its axes in reverse order."""
        return self.transpose()

    def transpose(self: _Self, *axes: Any) -> _Self:
        """Returns a view with permuted axes, as numpy's method does.

        Parameters
        ----------
        *axes
            The axes of this view in their new order: ``transpose(1, 0)`` or ``transpose((1, 0))``. None means the
            reverse order.
        """
        order = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        order = range(self.ndim)[::-1] if order is None or len(order) == 0 else order
        places = [k + (self.ndim if k < 0 else 0) for k in integers(order, "axes")]
        if sorted(places) != list(range(self.ndim)):
            raise ArgumentError(f"axes {tuple(order)} are not a permutation of {self.ndim} axes")
        return type(self)(
            self.array, tuple(self.axes[k] for k in places), self._dtype, self.is_conjugate
        )

    def conj(self: _Self) -> _Self:
        """Returns a view with conjugate elements."""
        is_complex = self.array.dtype.kind == "c"
        return type(self)(self.array, self.axes, self._dtype, is_complex and not self.is_conjugate)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.shape))
        conjugate = ", conjugate" if self.is_conjugate else ""
        return f"<dapbridge.Lazy {shape} {self.dtype}{conjugate}; axes {self.axes} of {self.array!r}>"
