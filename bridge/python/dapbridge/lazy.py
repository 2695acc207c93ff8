"""Lazy views: an array transposed, conjugated, in another type, which the plan that moves it resolves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from ._comms import agreed, require_held
from ._core import Layout
from ._errors import ArgumentError
from ._local_part import NDArray
from ._memory import new_array
from ._no_numpy import NoNumpy
from .array import Array, LayoutLike
from .dists import as_dists, grid_for

if TYPE_CHECKING:
    from ._core import PartTuple


class Lazy(NoNumpy):
    """``a.T``, ``a.transpose(1, 0, 2)``, ``a.conj()``, ``a.astype(t)``, and one after the other.

    It has no elements of its own. `copy`, `gather` and `redistribute` make them, and as the source of a
    `Plan` it says what is done on the way.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1, 2j], [3, 4]]), MPI.COMM_SELF)
    >>> a.T.conj().gather()
    array([[1.-0.j, 3.-0.j],
           [0.-2.j, 4.-0.j]])
    """

    _advice = "copy() or redistribute() makes an array of the view, whose .local is this process's numpy array"

    def __init__(
        self,
        array: Array,
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
    def shape(self) -> tuple[int, ...]:
        """The extents, in the order of the view's axes."""
        return tuple(self.array.shape[k] for k in self.axes)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.axes)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type that the elements are to have."""
        return self._dtype if self._dtype is not None else self.array.dtype.newbyteorder("=")

    @property
    def is_cast(self) -> bool:
        """Whether the elements are to have another type."""
        return self._dtype is not None

    @property
    def part(self) -> PartTuple | None:
        """The view's axes, as a part of the array; None: all in their order."""
        return None if self.axes == tuple(range(self.array.ndim)) else (self.axes, None, None)

    def is_alike(self, other: Lazy) -> bool:
        """Whether the other one does the same with its array."""
        mine = self.axes, self._dtype, self.is_conjugate
        return mine == (other.axes, other._dtype, other.is_conjugate)

    def astype(self, dtype: npt.DTypeLike) -> Lazy:
        """In another type; converted from the array's own at once, whatever types came between."""
        return Lazy(self.array, self.axes, np.dtype(dtype).newbyteorder("="), self.is_conjugate)

    @property
    def T(self) -> Lazy:
        """With the axes in reverse order."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Lazy:
        """With permuted axes: ``transpose(1, 0)``, ``transpose((1, 0))``; without arguments reversed."""
        order = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        order = range(self.ndim)[::-1] if order is None or len(order) == 0 else order
        places = [int(k) + (self.ndim if k < 0 else 0) for k in order]
        if sorted(places) != list(range(self.ndim)):
            raise ArgumentError(f"axes {tuple(order)} are no permutation of {self.ndim} axes")
        return Lazy(
            self.array, tuple(self.axes[k] for k in places), self._dtype, self.is_conjugate
        )

    def conj(self) -> Lazy:
        """With conjugate elements."""
        is_complex = self.array.dtype.kind == "c"
        return Lazy(self.array, self.axes, self._dtype, is_complex and not self.is_conjugate)

    def copy(self) -> Array:
        """A new array of these elements, each on the process that has it. Collective on the array's `over`."""
        array, layout = self.array, self.array.layout
        if self.part is not None:
            layout, ranks = layout.part(self.part)
            if ranks != list(range(len(ranks))):
                layout = layout.reorder(ranks)
        return self._moved(new_array(layout, array.over, self.dtype, ranks=array.ranks))

    def redistribute(
        self,
        target: LayoutLike | None = None,
        out: Array | None = None,
        grid: Sequence[int] | None = None,
        dtype: npt.DTypeLike = None,
        **options: Any,
    ) -> Array:
        """These elements, laid out otherwise; see `Array.redistribute`."""
        require_held(self.array, "redistribute()")
        with agreed(self.array.over, "redistribute()"):
            given = self if dtype is None else self.astype(dtype)
            self._check(target, out, grid, options)
        if out is None:
            out = given._like(target, grid)
        return given._moved(out, **options)

    def _check(self, target: Any, out: Any, grid: Any, options: dict[str, Any]) -> None:
        """Of the arguments of `redistribute`."""
        from .plan import Plan

        if out is not None and not isinstance(out, Array):
            raise TypeError(
                f"out, the second argument, is a {type(out).__name__}, not an Array; "
                "distributions of several axes are one list: ['cyclic', 'block']"
            )
        if (target is None) == (out is None):
            given = "neither" if out is None else "both"
            raise ArgumentError(f"redistribute() needs either a target or out, and got {given}")
        signature(Plan).bind(self, out, **options)
        if isinstance(target, (Array, Layout)):
            if target.shape != self.shape:
                raise ArgumentError(f"the target has the shape {target.shape}, not {self.shape}")
        elif target is not None:
            grid_for(as_dists(target, self.ndim), self.array.over.size, grid)

    def gather(self, root: int | None = None) -> NDArray | None:
        """The whole as a numpy array on `root`, or on all processes; see `Array.gather`."""
        from ._moves import gather

        return gather(self, root)

    def _moved(self, out: Array, **options: Any) -> Array:
        from ._moves import move

        move(self, out, **options)
        return out

    def _like(self, target: Any, grid: Sequence[int] | None) -> Array:
        """A new array for these elements."""
        from .make import layout_on

        over, ranks = self.array.over, self.array.ranks
        if isinstance(target, Array):
            layout, over, ranks = target.layout, target.over, target.ranks
        elif isinstance(target, Layout):
            layout = target
        else:
            layout = layout_on(self.shape, over, target, grid)
        fits = ranks is not None and len(ranks) == layout.nprocs
        return new_array(layout, over, self.dtype, ranks=ranks if fits else None)

    def __matmul__(self, other: Any) -> Any:
        from .linalg import matmul

        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from .linalg import matmul

        return matmul(other, self)

    def __array__(self, dtype: npt.DTypeLike = None) -> NDArray:
        if self.array.over.size > 1:
            raise TypeError("a distributed array is no numpy array: gather() makes one of all elements")
        return np.asarray(self.gather(0), dtype)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.shape))
        conjugate = ", conjugate" if self.is_conjugate else ""
        return f"<dapbridge.Lazy {shape} {self.dtype}{conjugate}; axes {self.axes} of {self.array!r}>"
