"""Index expressions such as ``a[lo:hi, i, ..., None]``, as parts of arrays."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._errors import UnsupportedError

if TYPE_CHECKING:
    from ._core import PartTuple


def part_of(key: Any, shape: tuple[int, ...]) -> PartTuple:
    """Returns the part (axes, start, shape) that an index expression names.

    The expression can contain integers, slices with step 1, an Ellipsis and None, as in numpy.
    """
    entries = _without_ellipsis(list(key) if isinstance(key, tuple) else [key], len(shape))
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


def _without_ellipsis(entries: list[Any], ndim: int) -> list[Any]:
    """Returns an entry for each axis, and None for each new axis."""
    given = sum(e is not None and e is not Ellipsis for e in entries)
    if sum(e is Ellipsis for e in entries) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if given > ndim:
        raise IndexError(f"too many indices: the array is {ndim}-dimensional, but {given} were indexed")
    place = next((i for i, e in enumerate(entries) if e is Ellipsis), len(entries))
    return [*entries[:place], *[slice(None)] * (ndim - given), *entries[place + 1 :]]


class Pick(NamedTuple):
    """Elements along an axis of a part, in any order."""

    axis: int
    indices: npt.NDArray[np.int64]


def part_and_picks(key: Any, shape: tuple[int, ...]) -> tuple[PartTuple, list[Pick]]:
    """Returns the part that an index expression names, and the elements that are picked from it.

    In addition to the expressions of `part_of`, slices with any step are allowed. One list of integers or bools is
    allowed if all other entries are slices.
    """
    entries = list(key) if isinstance(key, tuple) else [key]
    if not any(_is_list(e) or _has_step(e) for e in entries):
        return part_of(key, shape), []
    _check_lists(entries)
    entries = _without_ellipsis(entries, len(shape))
    axis, result, picks = 0, 0, []
    for place, entry in enumerate(entries):
        if _is_list(entry) or _has_step(entry):
            entries[place], indices = _range_and_indices(entry, axis, shape[axis])
            picks.append(Pick(result, indices))
        axis += entry is not None
        result += entry is None or isinstance(entry, slice) or _is_list(entry)
    return part_of(tuple(entries), shape), picks


def _is_list(entry: Any) -> bool:
    return isinstance(entry, (list, np.ndarray)) and np.ndim(entry) > 0


def _has_step(entry: Any) -> bool:
    return isinstance(entry, slice) and entry.step not in (None, 1)


def _check_lists(entries: list[Any]) -> None:
    """Raises an error if numpy would combine a list with other indices, because the result would then not be a
    selection along each axis."""
    lists = [e for e in entries if _is_list(e)]
    others = [e for e in entries if not _is_list(e) and e is not Ellipsis and not isinstance(e, slice)]
    if len(lists) > 1 or lists and others:
        raise UnsupportedError(
            "a list of indices goes with slices only: write a[rows][:, columns] for two lists, and a[rows][:, 0] "
            "for a list and an integer"
        )


def _range_and_indices(entry: Any, axis: int, size: int) -> tuple[slice, npt.NDArray[np.int64]]:
    """Returns the range that is selected first, and the indices of the picked elements within this range."""
    if _is_list(entry):
        return slice(None), _checked(entry, axis, size)
    indices = np.arange(*entry.indices(size))
    low, high = (int(indices.min()), int(indices.max()) + 1) if len(indices) else (0, 0)
    return slice(low, high), indices - low


def _checked(entry: Any, axis: int, size: int) -> npt.NDArray[np.int64]:
    """Returns a list of indices as integers that are not negative."""
    given = np.asarray(entry)
    if given.ndim != 1:
        what = "mask" if given.dtype == np.bool_ else "array of indices"
        raise UnsupportedError(
            f"a {what} of {given.ndim} axes: np.where(mask, a, x) keeps the shape, and a[list] picks along one axis"
        )
    if given.dtype == np.bool_:
        if len(given) != size:
            raise IndexError(f"a mask of {len(given)} elements for axis {axis}, whose size is {size}")
        return np.flatnonzero(given)
    if given.size and given.dtype.kind not in "iu":
        raise IndexError(f"indices are {given.dtype}: integers or bool are possible")
    indices = given.astype(np.int64)
    wrong = indices[(indices < -size) | (indices >= size)]
    if len(wrong):
        raise IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {size}")
    return np.where(indices < 0, indices + size, indices)


def _range(entry: slice, size: int) -> tuple[int, int]:
    first, stop, step = entry.indices(size)
    if step != 1:
        raise UnsupportedError(f"step {step}: slices have step 1 here")
    return (first, stop - first) if stop > first else (0, 0)


def _index(entry: Any, axis: int, size: int) -> int:
    if hasattr(entry, "gather"):
        raise IndexError(
            "the index is a distributed array: a[i.gather()] picks along an axis, and np.where(mask, a, x) takes a mask"
        )
    if isinstance(entry, bool) or not hasattr(entry, "__index__"):
        raise IndexError(
            f"{type(entry).__name__}: only integers, slices, a list of integers or bool, ... and None are possible"
        )
    index = operator.index(entry)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index % size
