"""The axes of an array that are degrees of freedom of the points of a field."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from . import _core
from ._base import ArrayBase
from ._errors import ArgumentError

#: The first axis is considered to hold components only if it has fewer elements than this number.
_FEW = 10


def with_dof_axes(
    array: ArrayBase, given: int | Sequence[int] | None, part: _core.PartTuple | None
) -> tuple[Any, _core.PartTuple | None]:
    """Returns the number of axes that are degrees of freedom, and a part of the array that has these axes last.

    `given` is the argument `dof_axes` of `PetscField`, which counts the axes of the array, not of the part. None means
    the array's component axes.
    """
    kept = list(range(array.ndim) if part is None or part[0] is None else part[0])
    if given is None:
        axes = [k for k in array.component_axes if k in kept]
    elif isinstance(given, Sequence) and not isinstance(given, str):
        axes = _places(given, array.ndim, kept)
    else:
        _check_last(array, given, kept)
        return given, part
    ordered = [k for k in kept if k not in axes] + axes
    if ordered == kept:
        return len(axes), part
    start, shape = ([0] * array.ndim, None) if part is None else part[1:]
    return len(axes), (ordered, start, shape)


def _places(given: Sequence[int], ndim: int, kept: Sequence[int]) -> list[int]:
    axes = [operator.index(k) for k in given]
    for k in axes:
        if not -ndim <= k < ndim:
            raise ArgumentError(f"dof_axes: axis {k} is out of bounds for {ndim} axes")
    axes = [k % ndim for k in axes]
    for k in axes:
        if k not in kept:
            raise ArgumentError(f"dof_axes: axis {k} is fixed by part")
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"dof_axes: {tuple(given)} has an axis twice")
    return axes


def _check_last(array: ArrayBase, count: Any, kept: Sequence[int]) -> None:
    """Refuses a number of last axes if other axes are known to be the components, or look like components."""
    if not isinstance(count, int) or not 0 <= count < len(kept):
        return
    last = list(kept[len(kept) - count :])
    components = [k for k in array.component_axes if k in kept]
    if components and last != components:
        raise ArgumentError(
            f"dof_axes={count} makes {_named(last)} degrees of freedom, but {_named(components)} of this array "
            f"{'holds' if len(components) == 1 else 'hold'} the components: write dof_axes={tuple(components)}"
        )
    if count and not components and _looks_like_components(array, kept[0], last[-1]):
        raise ArgumentError(
            f"dof_axes={count} makes {_named(last)} degrees of freedom, with {array.shape[last[-1]]} elements, but "
            f"axis {kept[0]} has {array.shape[kept[0]]} elements, on one process: write dof_axes=({kept[0]},) if that "
            f"axis holds the components, or dof_axes={tuple(last)}"
        )


def _looks_like_components(array: ArrayBase, first: int, last: int) -> bool:
    """True if the axis `first` is short, not distributed, without padding, and shorter than `last`."""
    if first < 0 or last < 0 or not array.shape[first] < min(_FEW, array.shape[last]):
        return False
    return array.layout.grid[first] == 1 and array.layout.halo(first, 0) == (0, 0)


def _named(axes: Sequence[int]) -> str:
    return f"axis {axes[0]}" if len(axes) == 1 else f"axes {tuple(axes)}" if axes else "no axis"
