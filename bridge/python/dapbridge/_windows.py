"""Slices of arrays: windows of their memory if the protocol can express them, otherwise new arrays."""

from __future__ import annotations

import zlib
from typing import Any, TypeVar, Union

import numpy as np
from mpi4py import MPI

from . import _core
from ._axes import entry_like
from ._base import ArrayBase
from ._comms import agreed, group_of, require_held
from ._ends import End
from ._errors import ArgumentError, IndexingError, RemoteError, ShareError, UnsupportedError
from ._memory import new_result
from ._picks import picked
from .slices import Pick, part_and_picks

_A = TypeVar("_A", bound=ArrayBase)

Window = tuple[_core.Layout, list[int], Union[_core.Local, None]]


def slice_of(array: _A, key: Any) -> _A:
    """Returns the array that an index expression names. Collective on the array's `over`."""
    require_held(array, "slice of an array")
    part, picks, found = _part_and_window(array, key)
    words = zlib.crc32(repr(part).encode())
    for pick in picks:
        words = zlib.crc32(pick.indices.tobytes(), zlib.crc32(f"{pick.axis} {len(pick.indices)}".encode(), words))
    mine = np.array([found is not None, words, -words])
    if array.over.size > 1:
        all_ = np.empty_like(mine)
        array.over.Allreduce(mine, all_, MPI.MIN)
        if all_[1] != -all_[2]:
            _core.fail(
                _core.STATUSES.index("ARG"), "slices of an array differ between the processes"
            )
        if not all_[0]:
            found = None
    result = _moved_part(array, part) if found is None else _in_memory_of(array, *found)
    for pick in picks:
        result = picked(result, *pick)
    return result


def _part_and_window(array: ArrayBase, key: Any) -> tuple[_core.PartTuple, list[Pick], Window | None]:
    """Returns the part that an index expression names, the elements picked from it, and its window. Collective."""
    try:
        with agreed(array.over, "slice of an array"):
            part, picks = part_and_picks(key, array.shape)
            return part, picks, _window(array, part)
    except ArgumentError as e:
        raise IndexingError(str(e), e.rank, e.rule) from e.__cause__


def _window(array: ArrayBase, part: _core.PartTuple) -> Window | None:
    """Returns the part's layout, the array's processes that have elements of the part, and this process's window."""
    try:
        layout, ranks = array.layout.part(part)
        if array._local is None:
            return layout, ranks, None
        return layout, ranks, array._local.part(array.layout, array.rank, part)
    except (ShareError, RemoteError, UnsupportedError):
        return None


def _in_memory_of(array: _A, layout: _core.Layout, ranks: list[int], local: _core.Local | None) -> _A:
    """Makes an array in the memory of another one. Process i of the window is process ranks[i] of the array."""
    if len(ranks) == array.layout.nprocs:
        if ranks != sorted(ranks):
            layout = layout.reorder(ranks)
        return type(array)(layout, local, array.comm, array.over, array.ranks, array._type, array)
    over_ranks = ranks if array.ranks is None else [array.ranks[r] for r in ranks]
    comm = group_of(array.over, over_ranks)
    return type(array)(layout, local, comm, array.over, over_ranks, array._type, array)


def _moved_part(array: _A, part: _core.PartTuple) -> _A:
    """Moves a part to a new array. If the part has axes, the new array is on the same processes."""
    axes, _, extents = part
    layout = array.layout
    kept = list(range(layout.ndim)) if axes is None else list(axes)
    assert extents is not None
    facts = [layout.axis(k) for k in range(layout.ndim)]
    shape = [1 if k < 0 else extents[k] for k in kept]
    procs: list[int] = [1 if k < 0 else facts[k]["procs"] for k in kept]
    rest = layout.nprocs
    for p in procs:
        rest //= p
    if kept and rest > 1:
        room = [n / p for n, p in zip(shape, procs)]
        longest = room.index(max(room))
        procs[longest] *= rest
    entries = [entry_like(facts[k] if k >= 0 else None, n, p) for k, n, p in zip(kept, shape, procs)]
    new = _core.Layout(entries)
    ranks = array.ranks or list(range(array.layout.nprocs))
    over_ranks = None if new.nprocs == array.over.size else ranks[: new.nprocs]
    target = new_result(type(array), new, array.over, array._type, over_ranks)
    end = End(array, "array")
    end.part = part
    plan = _core.Plan.create(
        array.over.py2f(), end.tuple(array.over), End(target, "").tuple(array.over), 0, {"from_owners": True}
    )
    plan.run(array._local, target._local)
    plan.destroy()
    return target
