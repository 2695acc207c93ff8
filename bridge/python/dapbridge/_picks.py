"""Elements picked along an axis by their indices, in any order: ``a[::-1]``, ``a[[3, 0, 3]]``."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, dists
from ._axes import entry_like, on_grid_of, same_axis
from ._base import ArrayBase
from ._comms import agreed, group_of
from ._layouts import layout_on
from ._local_part import NDArray
from ._memory import new_result, wrap
from ._moves import move

_A = TypeVar("_A", bound=ArrayBase)
Indices = npt.NDArray[np.int64]


def picked(array: _A, axis: int, indices: Indices) -> _A:
    """Makes an array of the elements at `indices` along `axis`, on the same processes.

    Collective on the processes that have a part of `array`.

    The axis keeps its kind of distribution, without padding. Index lists become blocks.
    """
    shape = [len(indices) if k == axis else n for k, n in enumerate(array.shape)]
    entries = []
    for k, n in enumerate(shape):
        facts, same = array.layout.axis(k), same_axis(array.layout, k) if k != axis else None
        entries.append(same or entry_like(facts, n, facts["procs"]))
    layout = on_grid_of(array.layout, entries)
    local = None
    if array.rank >= 0:
        elements = _moved(array, axis, indices, _core.Layout(entries))
        with agreed(array.comm, "slice of an array"):
            local = wrap(layout, array.rank, elements)
    return type(array)(layout, local, array.comm, array.over, array.ranks, array._type)


def _moved(array: ArrayBase, axis: int, indices: Indices, layout: _core.Layout) -> NDArray:
    """Returns this process's part of the result. The ranks of the result's layout are in row-major order.

    The source of the move is this process's owned elements, with lists of their indices in the result."""
    grid = array.layout.grid
    comm = group_of(array.comm, [array.layout.rank(place) for place in np.ndindex(*grid)])
    target = new_result(ArrayBase, layout, comm, array._type)
    if 0 in layout.shape:
        return target.local
    with agreed(comm, "slice of an array"):
        own, lists = _own(array, axis, indices)
    listed = layout_on(layout.shape, comm, [dists.unstructured(i) for i in lists], grid, is_free=True)
    with agreed(comm, "slice of an array"):
        source = ArrayBase(listed, wrap(listed, comm.rank, own), comm)
    move(source, target, fill_halos=True)
    return target.local


def _own(array: ArrayBase, axis: int, indices: Indices) -> tuple[NDArray, list[Any]]:
    """Returns the picked elements that this process owns in `array`, and their indices in the result."""
    positions = list(array.owned_positions())
    lists = [i[p] for i, p in zip(array.indices(), positions)]
    order = np.argsort(lists[axis])
    mine = lists[axis][order]
    found = np.searchsorted(mine, indices)
    is_here = found < len(mine)
    is_here[is_here] = mine[found[is_here]] == indices[is_here]
    lists[axis] = np.flatnonzero(is_here)
    positions[axis] = positions[axis][order][found[is_here]]
    return array.local[np.ix_(*positions)], lists
