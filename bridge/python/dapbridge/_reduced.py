"""Reductions over all or some axes: from each process's part to the layout of the results."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core, dists
from ._axes import kept_in, on_grid_of, same_axis
from ._base import ArrayBase
from ._combine import Combine, combined, shared_by_all
from ._comms import agreed, require_held
from ._elementwise import as_array
from ._errors import ArgumentError
from ._lazy import LazyBase
from ._local_part import NDArray
from ._moves import copy
from ._regions import owned_in_order
from ._spread import array_of, refuse_partial

Axes = tuple[int, ...]
#: Reduces the elements that a process owns over some axes: function(block, axes).
Partial = Callable[[NDArray, Axes], NDArray]


class Reduction:
    """One call of a reduction of an array. All steps are collective on `over`."""

    def __init__(self, function: str, x: Any, axis: Any, keepdims: Any, **options: Any) -> None:
        """Begins a reduction. `options` (dtype, ddof, offset) must be the same on all processes."""
        require_held(array_of(x), function)
        self.function = function
        self.over = array_of(x).over
        with agreed(self.over, function):
            self._call = _in_words(function, {"axis": axis, "keepdims": keepdims or None, **options})
            refuse_partial(array_of(x), function)
            self.axes = _axes_of(axis, x.ndim)
            self.keepdims = bool(keepdims)
        self.is_number = len(self.axes) == x.ndim and not self.keepdims
        self.array: ArrayBase = copy(x) if isinstance(x, LazyBase) else x
        #: The elements that this process owns, in the order of their indices, and the indices.
        self.block, self.indices = owned_in_order(self.array)
        if self.array.rank < 0:  # an element from which the types of results follow
            self.block, self.indices = np.ones((1,) * x.ndim, self.array.dtype), [np.zeros(1, np.int64)] * x.ndim
        shape = self.array.shape
        self.count = math.prod(shape[k] for k in self.axes)
        self.kept = [k for k in range(len(shape)) if k not in self.axes]
        self.is_empty = 0 in [shape[k] for k in self.kept]

    def agreed(self) -> agreed:
        return agreed(self.over, self._call)

    def require_elements(self, text: str) -> None:
        """Raises an error if there is no element to reduce, as numpy does."""
        if self.count == 0 and not self.is_empty:
            with self.agreed():
                raise ArgumentError(f"{self.function}: {text}")

    def values(self, partial: Partial, combine: Combine) -> NDArray:
        """Returns the reduced elements, for the part of the kept axes that this process owns.

        A process outside the layout receives arbitrary elements of the same type.
        """
        with self.agreed():
            part = self._part(partial)
        if self.array.rank < 0:
            return part
        with np.errstate(all="ignore"):
            return combined(self.array, self.axes, part.reshape(-1), combine).reshape(part.shape)

    def _part(self, partial: Partial) -> NDArray:
        extents = self.block.shape
        if self.count and 0 in [extents[k] for k in self.axes]:  # other processes have elements, but this one does not
            return np.empty([extents[k] for k in self.kept])
        return np.asarray(partial(self.block, self.axes))

    def along(self, values: NDArray) -> NDArray:
        """Returns values of the kept axes in a shape that broadcasts to the block."""
        return np.expand_dims(values, self.axes)

    def flat_index(self, places: NDArray) -> NDArray:
        """Converts places in the block's reduced axes to places in the array's reduced axes. Both are in C order."""
        if not self.axes or self.array.rank < 0:
            return np.zeros_like(places)
        local = np.unravel_index(places, [self.block.shape[k] for k in self.axes])
        whole = [self.indices[k][place] for k, place in zip(self.axes, local)]
        return np.asarray(np.ravel_multi_index(tuple(whole), [self.array.shape[k] for k in self.axes]))

    def result(self, values: NDArray) -> Any:
        """Returns the values as an array, or as a number that is the same on all processes of `over`.

        If the result is an array, the axes that are not reduced keep their distribution. Without `keepdims` the array
        is replicated if a reduced axis is on several processes. The array's padding and ghosts are up to date.
        """
        array = self.array
        if self.is_number:
            return shared_by_all(array, values[()] if array.rank >= 0 else None)
        with self.agreed():
            layout = self._layout()
        if layout is None:
            return self._replicated(values)
        with self.agreed():
            made = as_array(array, self._buffer(layout, values), layout)
        if any(_has_copies(layout, k) for k in range(layout.ndim)):
            made.halo_update(allow_empty=True)
        return made

    def _layout(self) -> _core.Layout | None:
        """Returns the layout of the result. None means that the result is replicated."""
        layout, keepdims = self.array.layout, self.keepdims
        if not self.axes or self._is_shape_kept:
            return layout
        if all(layout.grid[k] == 1 for k in self.axes):
            axes = [-1 if k in self.axes else k for k in range(layout.ndim)]
            return kept_in(layout, axes if keepdims else self.kept)
        if not keepdims:
            return None
        one = [dists.replicated().entry(1, p) for p in layout.grid]
        entries = [one[k] if k in self.axes else same_axis(layout, k) for k in range(layout.ndim)]
        given = [e for e in entries if e is not None]
        return on_grid_of(layout, given) if len(given) == layout.ndim else None

    @property
    def _is_shape_kept(self) -> bool:
        """True if the result has the array's shape. The result then has the array's layout, so that both can be
        operands."""
        return self.keepdims and all(self.array.shape[k] == 1 for k in self.axes)

    def _buffer(self, layout: _core.Layout, values: NDArray) -> NDArray:
        """Makes this process's buffer, with the values at the positions that it owns along the kept axes."""
        array = self.array
        if array.rank < 0:
            return np.empty((0,) * max(layout.ndim, 1), values.dtype)
        extents = [layout.extent(k, c) for k, c in enumerate(layout.coords(array.rank))]
        buffer = np.zeros(extents, values.dtype, "F" if array.local.flags.f_contiguous else "C")
        owned, indices = array.owned_positions(), array.indices()
        places = [owned[k][np.argsort(indices[k][owned[k]])] for k in self.kept]
        if self.keepdims:
            for k in self.axes:
                places.insert(k, owned[k] if self._is_shape_kept else np.zeros(1, np.intp))
            values = self.along(values)
        if buffer.ndim:
            buffer[np.ix_(*places)] = values
        else:
            buffer[...] = values
        return buffer

    def _replicated(self, values: NDArray) -> ArrayBase:
        """Returns all values on each process of the array."""
        array = self.array
        shape = [1 if k in self.axes else array.shape[k] for k in sorted({*self.kept, *self._ones})]
        whole = np.empty((0,) * len(shape), values.dtype)
        if array.rank >= 0:
            first = all(array.coords[k] == 0 for k in self.axes)
            indices = [self.indices[k] for k in self.kept]
            parts = array.comm.allgather((indices, values) if first else None)
            whole = _put_together([array.shape[k] for k in self.kept], parts).reshape(shape)
        with self.agreed():
            return as_array(array, whole, replicated_layout(shape, array.layout.nprocs))

    @property
    def _ones(self) -> Axes:
        return self.axes if self.keepdims else ()


def in_order(ufunc: np.ufunc, parts: Sequence[NDArray]) -> NDArray:
    """Combines partial results of a ufunc's reduction in the order of `parts`."""
    return np.asarray(ufunc.reduce(np.stack(parts), axis=0, dtype=parts[0].dtype))


def replicated_layout(shape: Sequence[int], procs: int) -> _core.Layout:
    """Returns the layout that has all elements on each of `procs` processes."""
    return _core.Layout(
        [dists.replicated().entry(shape[0], procs), *(dists.local().entry(n, 1) for n in shape[1:])]
    )


def _in_words(function: str, given: dict[str, Any]) -> str:
    """Returns a text with the call and its arguments, for agreements. Raises an error if an option is invalid."""
    checks: dict[str, Callable[[Any], Any]] = {"dtype": np.dtype, "ddof": float, "offset": operator.index}
    words = []
    for name, value in given.items():
        if value is not None or name in ("ddof", "offset"):
            words.append(f"{name}={checks.get(name, str)(value)}")
    return f"{function} with {', '.join(words)}" if words else function


def _axes_of(axis: Any, ndim: int) -> Axes:
    """Returns axes in ascending order."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(_normalized(axis, ndim)))


def _has_copies(layout: _core.Layout, axis: int) -> bool:
    """True if a process has elements along the axis that another process owns."""
    return sum(layout.extent(axis, c) for c in range(layout.grid[axis])) != layout.shape[axis]


def _put_together(shape: Sequence[int], parts: Sequence[Any]) -> NDArray:
    """Makes an array from parts (indices along each axis, elements). A part that is None has no elements."""
    given = [p for p in parts if p is not None]
    whole = np.empty(shape, given[0][1].dtype)
    for indices, elements in given:
        whole[np.ix_(*indices) if indices else ()] = elements
    return whole


def _normalized(axis: Any, ndim: int) -> list[int]:
    given = [operator.index(k) for k in axis] if isinstance(axis, (tuple, list)) else [operator.index(axis)]
    for k in given:
        if not -ndim <= k < ndim:
            raise ArgumentError(f"axis {k} is out of bounds for {ndim} axes")
    axes = [k % ndim for k in given]
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"axis {axis}: an axis is named twice")
    return axes
