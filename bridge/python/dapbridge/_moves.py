"""Moves that need a plan once."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, dists
from ._comms import agree_equal, agreed, require_mpi
from ._ends import End
from ._errors import ArgumentError
from .array import Array, NDArray, new_array
from .lazy import Lazy
from .plan import Plan


def move(source: Array | Lazy, target: Array, **options: Any) -> None:
    """Moves elements once. Collective on the larger communicator of the two."""
    with Plan(source, target, **options) as plan:
        plan(None, None)


def gather(source: Array | Lazy, root: int | None) -> NDArray | None:
    """All elements as a numpy array on one process, or on all."""
    require_mpi()
    array = source.array if isinstance(source, Lazy) else source
    over, shape, dtype = array.over, source.shape, source.dtype
    with agreed(over, "gather()"):
        here = 0 if root is None else operator.index(root)
        if not 0 <= here < over.size:
            raise ArgumentError(f"root {root} of {over.size} processes")
    agree_equal(over, "gather()", "root", None if root is None else here)
    if root is None and shape:
        whole = _core.Layout([dists.replicated().entry(shape[0], over.size), *_local_entries(shape[1:])])
        target = new_array(whole, over, dtype, shared=False)
    else:
        target = new_array(_core.Layout(_local_entries(shape)), over, dtype, shared=False, ranks=[here])
    move(source, target)
    if root is None and not shape:
        return np.array(over.bcast(target.local if over.rank == 0 else None))
    return target.local if root is None or over.rank == here else None


def moved_part(array: Array, part: _core.PartTuple) -> Array:
    """A part as a new array, on the same processes as far as it has axes."""
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
    entries = [_entry_like(facts[k] if k >= 0 else None, n, p) for k, n, p in zip(kept, shape, procs)]
    new = _core.Layout(entries)
    ranks = array.ranks or list(range(array.layout.nprocs))
    whole = new.nprocs == array.over.size and array.ranks is None
    target = new_array(new, array.over, array._type, ranks=None if whole else ranks[: new.nprocs])
    end = End(array, "array")
    end.part = part
    plan = _core.Plan.create(
        array.over.py2f(), end.tuple(array.over), End(target, "").tuple(array.over), 0, {}
    )
    plan.run(array._local, target._local)
    plan.destroy()
    return target


def _local_entries(shape: Sequence[int]) -> list[_core.DistTuple]:
    return [dists.local().entry(n, 1) for n in shape]


def _entry_like(facts: dict[str, Any] | None, size: int, procs: int) -> _core.DistTuple:
    """An axis of another size, distributed as the one of these facts as far as that has a rule."""
    if facts is not None and facts["dist_type"] == "c":
        return dists.cyclic(facts["block_size"], facts["first_owner"]).entry(size, procs)
    if facts is not None and facts["replicated"]:
        return dists.replicated().entry(size, procs)
    return dists.block().entry(size, procs)
