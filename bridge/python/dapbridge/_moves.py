"""Moves that need a plan once."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, dists
from ._comms import agree_equal, agreed, require_held, require_mpi
from ._errors import ArgumentError
from ._local_part import NDArray
from ._memory import new_array
from .array import Array
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
    require_held(array, "gather()")
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


def _local_entries(shape: Sequence[int]) -> list[_core.DistTuple]:
    return [dists.local().entry(n, 1) for n in shape]
