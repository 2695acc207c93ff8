"""``a[lo:hi, i, ..., None]`` as a part of an array."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ._errors import UnsupportedError

if TYPE_CHECKING:
    from ._core import PartTuple


def part_of(key: Any, shape: tuple[int, ...]) -> PartTuple:
    """The part (axes, start, shape) that an index expression names.

    Integers, slices with step 1, an Ellipsis and None, as in numpy.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    given = sum(e is not None and e is not Ellipsis for e in entries)
    if sum(e is Ellipsis for e in entries) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if given > len(shape):
        raise IndexError(f"too many indices: the array is {len(shape)}-dimensional, but {given} were indexed")
    fill = [slice(None)] * (len(shape) - given)
    place = next((i for i, e in enumerate(entries) if e is Ellipsis), len(entries))
    entries[place : place + 1] = fill
    axes: list[int] = []
    start = [0] * len(shape)
    extents = list(shape)
    axis = 0
    for entry in entries:
        if entry is None:
            axes.append(-1)
            continue
        if isinstance(entry, slice):
            axes.append(axis)
            start[axis], extents[axis] = _range(entry, shape[axis])
        else:
            start[axis], extents[axis] = _index(entry, axis, shape[axis]), 1
        axis += 1
    return (None if axes == list(range(len(shape))) else axes), start, extents


def _range(entry: slice, size: int) -> tuple[int, int]:
    first, stop, step = entry.indices(size)
    if step != 1:
        raise UnsupportedError(f"step {step}: slices of a distributed array have step 1")
    return (first, stop - first) if stop > first else (0, 0)


def _index(entry: Any, axis: int, size: int) -> int:
    if isinstance(entry, bool) or not hasattr(entry, "__index__"):
        raise IndexError(
            f"{type(entry).__name__}: only integers, slices, an ellipsis and None are valid indices"
        )
    index = operator.index(entry)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index % size
