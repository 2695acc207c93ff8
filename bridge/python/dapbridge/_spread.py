"""Operands of element-wise functions: arrays of one layout, numbers, and arrays that broadcast to their shape."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core, dists
from ._axes import on_grid_of, same_axis
from ._base import ArrayBase
from ._comms import agreed, require_held
from ._errors import ArgumentError, UnsupportedError
from ._given import elements_of
from ._lazy import LazyBase
from ._local_part import NDArray
from ._memory import new_result
from ._moves import copy, gather, move
from ._regions import at_least_1d, extents_of
from ._windows import slice_of


class Operands:
    """The operands of one call, and the arrays that receive its results (None: new arrays).

    Call `check` first, then `move`, then `buffers`. `check` and `buffers` must be called within an agreement.
    """

    def __init__(self, function: str, inputs: Sequence[Any], outs: Sequence[Any] = ()) -> None:
        self.inputs, self.outs = list(inputs), list(outs)
        #: Names types and shapes, so that an error can show calls with other types and shapes.
        self.name = f"{function}({', '.join(map(_kind_of, inputs))})"
        arrays = [x for x in (*inputs, *outs) if is_distributed(x)]
        for x in arrays:
            require_held(array_of(x), self.name)
        self.over = array_of(arrays[0]).over
        self._first = arrays[0]
        given = [*(word_of(x) for x in inputs if not is_distributed(x)), *("out" for x in outs if x is not None)]
        self._call = f"{self.name} with {', '.join(given)}" if given else self.name

    @property
    def first(self) -> ArrayBase:
        """The array whose layout the results have."""
        assert isinstance(self._first, ArrayBase)
        return self._first

    def agreed(self) -> agreed:
        return agreed(self.over, self._call)

    def check(self) -> None:
        """Checks the operands as far as that is possible before lazy views are copied. Not collective."""
        for place, x in enumerate(self.outs):
            if x is not None and not isinstance(x, ArrayBase):
                raise ArgumentError(f"{self.name}: out is {type(x).__name__}, not a distributed array")
        self.inputs = [x if is_distributed(x) else self._numbers(x) for x in self.inputs]
        for x in (*self.inputs, *self.outs):
            if is_distributed(x):
                self._check_array(array_of(x))
        outs = [x for x in self.outs if x is not None]
        own = [*outs, *filter(is_distributed, self.inputs)]
        shape = np.broadcast_shapes(*(getattr(x, "shape", ()) for x in (*outs, *self.inputs)))
        if any(x.shape != shape for x in outs):
            raise ArgumentError(f"{self.name}: the result has the shape {shape}, and out has another one")
        alike = [x for x in own if x.shape == shape]
        alike.sort(key=lambda x: isinstance(x, LazyBase))  # lazy views are moved to the layout of an array
        self._first = alike[0] if alike else max(own, key=lambda x: int(x.size))
        self._shape = shape
        for x in self.inputs:
            if isinstance(x, np.ndarray) and x.ndim:
                self._check_whole(x)
        if isinstance(self._first, ArrayBase) and alike:
            self._check_layouts()

    @property
    def is_direct(self) -> bool:
        """True if no elements are moved, so a failing process does no harm. The value is the same on all processes."""
        if any(x is not None for x in self.outs) or self._first.shape != self._shape:
            return False
        own = [x for x in (*self.inputs, *self.outs) if is_distributed(x)]
        return all(isinstance(x, ArrayBase) and self._is_beside(x) for x in own)

    def _is_beside(self, x: ArrayBase) -> bool:
        """True if an array has the shape of the results. An array without axes must also be on the same process."""
        return x.shape == self._first.shape and (x.ndim > 0 or x.ranks == self.first.ranks)

    def move(self) -> None:
        """Makes arrays from lazy views, and sends elements of smaller arrays to the processes that need these elements.

        Collective.
        """
        made: dict[int, ArrayBase] = {}
        if isinstance(self._first, LazyBase):
            made[id(self._first)] = self._first = copy(self._first)
        for x in self.inputs:
            if isinstance(x, LazyBase) and id(x) not in made:
                made[id(x)] = self._laid_as_first(x)
        if self._first.shape != self._shape:
            layout = _extended(self.first, self._shape)
            self._first = new_result(type(self.first), layout, self.over, np.bool_, self.first.ranks)
        own = [made.get(id(x), x) for x in self.inputs]
        for place, x in enumerate(own):
            is_small = isinstance(x, ArrayBase) and not self._is_beside(x)
            self.inputs[place] = _Spread(spread(x, self.first)) if is_small else x

    def _laid_as_first(self, view: LazyBase[Any]) -> ArrayBase:
        """Makes an array from a lazy view, in the layout of the results if it has their shape. Collective."""
        first = self.first
        if view.shape != first.shape:
            made: ArrayBase = copy(view)
            return made
        out = new_result(type(first), first.layout, self.over, view.dtype, first.ranks)
        move(view, out, from_owners=True, fill_halos=True)
        return out

    def buffers(self) -> list[Any]:
        """Returns each operand's elements for the positions of this process's buffer. Numbers are returned unchanged.

        Not collective.
        """
        extents = extents_of(self.first)
        self._check_layouts()
        found = [_buffer_of(x, self.first) for x in self.inputs]
        return [np.broadcast_to(x, extents) if isinstance(x, np.ndarray) and x.ndim else x for x in found]

    def _numbers(self, x: Any) -> Any:
        """Returns a number unchanged, or a numpy array."""
        if isinstance(x, (bool, int, float, complex, np.generic)):
            return x
        numbers = None if x is None or isinstance(x, (str, bytes)) else elements_of(x, "an operand")
        if numbers is None or numbers.dtype.kind not in "biufc":
            raise ArgumentError(f"{self.name}: an operand is {type(x).__name__}, neither an array nor a number")
        return numbers

    def _check_array(self, x: ArrayBase) -> None:
        if MPI.Comm.Compare(x.over, self.over) not in (MPI.IDENT, MPI.CONGRUENT):
            raise ArgumentError(f"{self.name}: the arrays are on different processes, or in another order")
        refuse_partial(x, self.name)

    def _check_whole(self, x: NDArray) -> None:
        """Raises an error for a numpy array that could be one process's part, or could broadcast to the whole array."""
        layout = array_of(self._first).layout
        is_made = isinstance(self._first, LazyBase) or self._first.shape != self._shape
        if is_made or x.shape == layout.shape or x.ndim != layout.ndim:
            return
        parts = [{layout.extent(k, c) for c in range(p)} for k, p in enumerate(layout.grid)]
        if all(n in extents for n, extents in zip(x.shape, parts)):
            raise ArgumentError(
                f"{self.name}: a numpy array of shape {x.shape} could be one process's part, or broadcast to "
                f"{layout.shape}: use the part with .local, or np.broadcast_to(x, a.shape)"
            )

    def _check_layouts(self) -> None:
        """Raises an error unless all arrays of the result's shape have the same layout."""
        first = self.first
        for x in (*self.inputs, *self.outs):
            if not isinstance(x, ArrayBase) or x is first or x.shape != first.shape:
                continue
            if x.ndim == 0 and not any(x is out for out in self.outs):
                continue
            if x.layout != first.layout or x.ranks != first.ranks:
                raise ArgumentError(
                    f"{self.name}: arrays are laid out otherwise ({first.layout.summary()}; {x.layout.summary()}): "
                    "redistribute one, b.redistribute(a)"
                )


class _Spread:
    """The elements of a smaller array that this process has received."""

    def __init__(self, elements: NDArray) -> None:
        self.elements = elements


def is_distributed(x: Any) -> bool:
    return isinstance(x, (ArrayBase, LazyBase))


def word_of(x: Any) -> str:
    """Returns a string that identifies a value: a number, a checksum, or the name of a type.

    Processes that pass the same numbers receive the same string.
    """
    if isinstance(x, (list, tuple)):
        return f"checksum {zlib.crc32(repr(x).encode(errors='replace')):08x}"
    if isinstance(x, (int, float, complex, np.generic)):
        return repr(x)
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "biufc":
        return type(x).__name__
    if not getattr(sys.modules[__package__], "check_operands", True):
        return "numbers"
    return f"checksum {zlib.crc32(np.ascontiguousarray(x).reshape(-1).view(np.uint8).data):08x}"


def array_of(x: Any) -> ArrayBase:
    array: ArrayBase = x.array if isinstance(x, LazyBase) else x
    return array


def refuse_partial(x: ArrayBase, function: str) -> None:
    """Raises an error for an array whose elements are sums of addends on several processes."""
    if any(x.layout.axis(k)["partial"] for k in range(x.ndim)):
        raise UnsupportedError(
            f"{function}: the processes have terms of the elements (a partial axis): redistribute() adds them up"
        )


def _kind_of(x: Any) -> str:
    if not is_distributed(x) and not isinstance(x, (np.ndarray, np.generic)):
        return type(x).__name__
    dtype = x.dtype.newbyteorder("=")
    if not is_distributed(x):
        return str(dtype)
    return f"{'lazy ' if isinstance(x, LazyBase) else ''}{' x '.join(map(str, x.shape))} {dtype}".strip()


def _buffer_of(x: Any, first: ArrayBase) -> Any:
    if isinstance(x, _Spread):
        return x.elements
    if isinstance(x, ArrayBase):
        return at_least_1d(x.local)
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return x
    return _at_indices(x, first)


def _at_indices(x: NDArray, first: ArrayBase) -> NDArray:
    """Returns a numpy array's elements at the positions of the local buffer. x broadcasts to the whole array."""
    if first.rank < 0:
        return np.empty((0,) * max(first.ndim, 1), x.dtype)
    indices = first.indices()[first.ndim - x.ndim :]
    for axis, index in enumerate(indices):
        if x.shape[axis] != 1:
            x = x.take(index, axis)
    return x


def _extended(x: ArrayBase, shape: Sequence[int]) -> _core.Layout:
    """Returns the layout of a result whose shape no operand has. Axes of x with the same extents are kept."""
    entries = [dists.local().entry(n, 1) for n in shape[: len(shape) - x.ndim]]
    for axis, n in enumerate(shape[len(entries) :]):
        is_there = x.shape[axis] == n and not x.layout.axis(axis)["replicated"]
        same = same_axis(x.layout, axis) if is_there else None
        entries.append(same or dists.block().entry(n, x.layout.grid[axis]))
    return on_grid_of(x.layout, entries)


def spread(x: ArrayBase, first: ArrayBase) -> NDArray:
    """Returns the elements of the smaller array x that this process needs to broadcast x to its part of `first`.

    Collective on `over`.
    """
    if x.ndim == 0:
        return np.asarray(gather(x, None))
    if x.ndim < first.ndim:
        x = slice_of(x, (None,) * (first.ndim - x.ndim) + (Ellipsis,))
    entries, listed = [], []
    for axis, (size, procs) in enumerate(zip(x.shape, first.layout.grid)):
        same = same_axis(first.layout, axis) if size == first.shape[axis] else None
        entries.append(same or dists.replicated().entry(size, procs))
        listed.append(same is None and size == first.shape[axis])
    layout = on_grid_of(first.layout, entries)
    target = new_result(ArrayBase, layout, first.over, x.dtype, first.ranks)
    move(x, target, fill_halos=True)
    if first.rank < 0:
        return np.empty((0,) * first.ndim, x.dtype)
    found = target.local
    for axis, index in enumerate(first.indices()):
        if listed[axis]:
            found = found.take(index, axis)
    return found
