"""The two ends of a plan: its source and its target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core
from ._base import ArrayBase
from ._comms import require_held
from ._errors import ArgumentError
from ._lazy import LazyBase
from ._memory import type_name, wrap


class End:
    """One side of a plan, made from an array, a lazy view, or a layout with a type."""

    def __init__(self, side: Any, name: str) -> None:
        self.array: ArrayBase | None = None
        self.layout: _core.Layout | None = None
        self.part: _core.PartTuple | None = None
        self.type: str | None = None
        self.lazy: LazyBase[Any] | None = None
        if isinstance(side, LazyBase):
            self.lazy, self.array = side, side.array
            self.part = side.part
        elif isinstance(side, ArrayBase):
            self.array = side
        elif isinstance(side, tuple) and len(side) == 2 and isinstance(side[0], _core.Layout):
            self.layout, self.type = side[0], type_name(side[1])
        elif side is not None:
            raise TypeError(
                f"{name} is {type(side).__name__}: neither an array, nor a lazy view, nor (layout, dtype)"
            )
        if self.array is not None:
            self.layout = self.array.layout
            self.type = self.array._type

    @property
    def dtype(self) -> np.dtype[Any] | None:
        if self.lazy is not None:
            return self.lazy.dtype
        return None if self.type is None else np.dtype(self.type)

    @property
    def is_conjugate(self) -> bool:
        return self.lazy is not None and self.lazy.is_conjugate

    def tuple(self, comm: MPI.Comm) -> _core.SideTuple:
        local = self.array._local if self.array is not None else self._example(comm)
        return self.layout, local, self.part, self._ranks(comm), None if local is not None else self.type

    def _example(self, comm: MPI.Comm) -> _core.Local | None:
        """Makes a contiguous array for a layout with a type, like the arrays on which the plan will run."""
        if self.layout is None or comm.rank >= self.layout.nprocs:
            return None
        coords = self.layout.coords(comm.rank)
        extents = [self.layout.extent(k, c) for k, c in enumerate(coords)]
        return wrap(self.layout, comm.rank, np.empty(extents, self.type))

    def _ranks(self, comm: MPI.Comm) -> list[int] | None:
        array = self.array
        if array is None or comm == array.over:
            return None if array is None else array.ranks
        places = array.ranks or list(range(array.layout.nprocs))
        found = list(MPI.Group.Translate_ranks(array.over.group, places, comm.group))
        if MPI.UNDEFINED in found:
            raise ArgumentError("the plan's communicator does not have all processes of an array")
        return None if found == list(range(comm.size)) else found


def communicator_of(sides: Sequence[Any], comm: Any) -> MPI.Comm:
    """Returns the given communicator, or the largest communicator of the arrays. If `comm` is invalid, the function
    returns that of the arrays, on which all processes then raise the error."""
    arrays = [s.array if isinstance(s, LazyBase) else s for s in sides]
    for a in arrays:
        if isinstance(a, ArrayBase):
            require_held(a, "dapbridge.Plan()")
    overs = [a.over for a in arrays if isinstance(a, ArrayBase)]
    if isinstance(comm, MPI.Comm) or (comm is not None and not overs):
        return comm
    if not overs:
        raise ArgumentError("comm is needed for a plan of layouts alone")
    return max(overs, key=lambda c: c.size)


def is_cast(source: End, target: End) -> bool:
    """True if a lazy view converts the elements, which may lose values as in numpy. The function also checks that the
    types of both ends allow the plan."""
    if target.lazy is not None and target.lazy.is_cast:
        raise ArgumentError("target: astype() is for sources")
    if source.lazy is None or not source.lazy.is_cast:
        return False
    if target.dtype is not None and source.dtype != target.dtype.newbyteorder("="):
        raise ArgumentError(f"source is to be {source.dtype} and target is {target.dtype}")
    return True
