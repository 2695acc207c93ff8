"""The owned positions of a local buffer, as boxes if possible, otherwise as flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ._local_part import LocalPart, NDArray

Box = tuple[slice, ...]
#: The places of elements in a buffer: a box, or flags with the buffer's shape.
Region = Union[Box, NDArray]


def extents_of(array: LocalPart) -> tuple[int, ...]:
    """Returns the local buffer's extents: (0, ...) on a process outside the layout, and (1,) without axes."""
    return array.local.shape or (1,)


def at_least_1d(buffer: NDArray) -> NDArray:
    """Returns the elements with at least one axis, so that numpy treats them as an array and not as a number."""
    return buffer.reshape(1) if buffer.ndim == 0 else buffer


def has_ghosts(array: LocalPart) -> bool:
    """True if this process has elements that another process owns: padding, ghosts or other copies."""
    if array.rank < 0:
        return False
    layout = array.layout
    return any(layout.owned(k, c) != layout.extent(k, c) for k, c in enumerate(array.coords))


def regions(array: LocalPart) -> tuple[Region, list[Region]]:
    """Returns the owned part of the local buffer, and the regions of the rest. They do not overlap."""
    extents = extents_of(array)
    if not has_ghosts(array):
        return (slice(None),) * len(extents), []
    positions = array.owned_positions()
    box = [_range_of(p) for p in positions]
    if all(r is not None for r in box):
        owned = tuple(r for r in box if r is not None)
        return owned, list(_around(owned, extents))
    flags = _flags(positions, extents)
    return flags, [~flags]


def _range_of(positions: npt.NDArray[np.intp]) -> slice | None:
    if len(positions) == 0:
        return slice(0, 0)
    first, stop = int(positions[0]), int(positions[-1]) + 1
    return slice(first, stop) if stop - first == len(positions) else None


def _around(box: Box, extents: Sequence[int]) -> Iterator[Box]:
    """Returns boxes that cover the buffer outside a box, each position once."""
    for axis, (inside, extent) in enumerate(zip(box, extents)):
        for outside in (slice(0, inside.start), slice(inside.stop, extent)):
            if outside.start < outside.stop:
                yield (*box[:axis], outside, *(slice(None),) * (len(box) - axis - 1))


def _flags(positions: Sequence[npt.NDArray[np.intp]], extents: Sequence[int]) -> NDArray:
    flags: list[NDArray] = []
    for place, extent in zip(positions, extents):
        flags.append(np.zeros(extent, np.bool_))
        flags[-1][place] = True
    all_: Any = reduce(np.multiply.outer, flags)
    return np.asarray(all_)


def owned_in_order(array: LocalPart) -> tuple[NDArray, list[NDArray]]:
    """Returns the owned elements, sorted by global index along each axis, and the sorted indices of each axis.

    The elements are a view if possible, otherwise a copy.
    """
    if array.rank < 0:
        return array.local, [np.empty(0, np.int64)] * array.layout.ndim
    view, indices = array.local, []
    for axis, (position, index) in enumerate(zip(array.owned_positions(), array.indices())):
        order = np.argsort(index[position], kind="stable")
        indices.append(index[position][order])
        view = _taken(view, position[order], axis)
    return view, indices


def _taken(view: NDArray, positions: NDArray, axis: int) -> NDArray:
    """Returns the elements at these positions along an axis, as a view if they are at even distances."""
    step = int(positions[1] - positions[0]) if len(positions) > 1 else 1
    if not np.all(np.diff(positions) == step):
        return view.take(positions, axis)
    first = int(positions[0]) if len(positions) else 0
    last = first + step * len(positions)
    key = slice(first, last if last >= 0 else None, step)
    return view[(slice(None),) * axis + (key,)]


def as_numpy(elements: NDArray, memory: NDArray, dtype: npt.DTypeLike, copy: bool | None) -> NDArray:
    """Returns the result of ``__array__``. The elements are a view of the memory, or have been copied from it."""
    is_view = elements.size == 0 or np.may_share_memory(elements, memory)
    same_type = dtype is None or np.dtype(dtype) == elements.dtype
    if copy is False and not (is_view and same_type):
        raise ValueError("numpy needs a copy of the elements, in another order or type, and copy is False")
    return np.array(elements, dtype) if copy and is_view else np.asarray(elements, dtype)
