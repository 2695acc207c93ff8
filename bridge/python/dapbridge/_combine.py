"""Combines partial results of several processes in the order of ranks, so that all processes get the same bits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from ._base import ArrayBase
from ._local_part import NDArray

#: Combines partial results, which are arrays of one shape, in their order.
Combine = Callable[[Sequence[NDArray]], NDArray]

#: Partial results of at most this many elements are sent to all members at once. Each member combines a piece of larger
#: ones.
_AT_ONCE = 512


def combined(array: ArrayBase, axes: Sequence[int], part: NDArray, combine: Combine) -> NDArray:
    """Combines the partial results of the processes whose parts differ along `axes`. Collective on `array.comm`.

    `part` is this process's partial result as a flat array. It is used only if the process owns elements along `axes`.
    """
    members, contributors = _group_of(array, axes)
    largest = math.prod(array.layout.shape[k] for k in range(array.ndim) if k not in axes)
    if len(members) == 1:
        return combine([part])
    comm = array.comm
    if len(members) == comm.size and largest <= _AT_ONCE:
        all_ = comm.allgather(part if array.rank in contributors else None)
        return combine([all_[r] for r in contributors])
    if largest <= _AT_ONCE:
        sent = [part if array.rank in contributors and r in members else None for r in range(comm.size)]
        got = comm.alltoall(sent)
        return combine([got[r] for r in contributors])
    return _by_pieces(comm, members, contributors, part, combine)


def _by_pieces(
    comm: MPI.Comm, members: Sequence[int], contributors: Sequence[int], part: NDArray, combine: Combine
) -> NDArray:
    pieces: list[Any] = [None] * comm.size
    if comm.rank in contributors:
        for r, piece in zip(members, np.array_split(part, len(members))):
            pieces[r] = piece
    got = comm.alltoall(pieces)
    mine = combine([got[r] for r in contributors])
    whole = comm.alltoall([mine if r in members else None for r in range(comm.size)])
    return np.concatenate([whole[r] for r in members])


def _group_of(array: ArrayBase, axes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Returns the ranks of the processes that combine their results, and the ranks of those that own elements."""
    layout = array.layout
    places = [range(p) if k in axes else (c,) for k, (p, c) in enumerate(zip(layout.grid, array.coords))]
    members, contributors = [], []
    for place in itertools.product(*places):
        members.append(layout.rank(place))
        if all(layout.owned(k, place[k]) for k in axes):
            contributors.append(members[-1])
    return members, contributors or members[:1]


def shared_by_all(array: ArrayBase, value: Any) -> Any:
    """Sends a value of the array's processes to all processes of `over`. Collective on `over`."""
    if array.ranks is None:
        return value
    return array.over.bcast(value, array.ranks[0])
