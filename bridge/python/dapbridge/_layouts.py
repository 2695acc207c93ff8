"""Layouts of new arrays: distributions of the axes over a grid of processes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core
from ._comms import agree_equal, agreed
from ._errors import ArgumentError
from ._grids import Dists, dists_on, grid_for
from .dists import Dist, as_dists, block


def layout(
    shape: int | Sequence[int], nprocs: int, dist: Dists = None, grid: Sequence[int] | None = None
) -> _core.Layout:
    """Creates the layout of an array on `nprocs` processes, without elements. Not collective.

    A notebook shows the layout as a picture. `Array.redistribute` accepts the layout, and `Plan` accepts ``(layout,
    dtype)``.

    Parameters
    ----------
    shape
        Extents of the whole array.
    nprocs
        Number of processes.
    dist
        Distribution of each axis: a name such as "block", or a `Dist` such as ``cyclic(2)``. None means blocks along
        the first axis. An unstructured axis needs the lists of all processes.
    grid
        Number of processes along each axis. None means a grid that is as even as possible.

    Examples
    --------
    >>> dapbridge.layout((4, 6), 4, ["block", dapbridge.cyclic(2)])
    <Layout 4 x 6 over 2 x 2: block, cyclic(2)>
    """
    extents = extents_of(shape)
    dists = as_dists(dist, len(extents))
    procs = grid_for(dists, nprocs, grid)
    return _core.Layout([d.entry(n, p) for d, n, p in zip(dists, extents, procs)])


def extents_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """Returns a shape as a tuple of integers."""
    given: Any = shape
    is_one = not hasattr(given, "__iter__") or isinstance(given, str) or getattr(given, "ndim", 1) == 0
    entries = (given,) if is_one else tuple(given)
    for n in entries:
        if isinstance(n, (bool, np.bool_)) or not hasattr(n, "__index__"):
            whole = isinstance(n, (float, np.floating)) and float(n).is_integer()
            advice = f"; write {int(n)}" if whole else ""
            raise ArgumentError(f"shape is {shape!r}: {n!r} is of type {type(n).__name__}, not an integer{advice}")
    return tuple(operator.index(n) for n in entries)


def layout_on(
    shape: int | Sequence[int],
    comm: MPI.Comm,
    dist: Dists,
    grid: Sequence[int] | None = None,
    is_free: bool = False,
) -> _core.Layout:
    """Returns the layout of an array of this shape on all processes of `comm`. `dists_on` describes `is_free`.

    Collective.
    """
    with agreed(comm, "dapbridge: layout"):
        shape = extents_of(shape)
        dists, extents = dists_on(comm, dist, len(shape), grid, is_free)
        entries = [d.entry(n, p) for d, n, p in zip(dists, shape, extents)]
        listed = [d.kind == "unstructured" and not d.has_all_lists for d in dists]
        layout = _core.Layout(
            [block().entry(e[1], e[2]) if own else e for e, own in zip(entries, listed)]
        )
        local = _with_lists(layout, comm.rank, dists, listed) if any(listed) else None
    agree_equal(comm, "dapbridge: layout", "shape", shape)
    if local is None:
        return layout
    owned = [d.owned for d in dists] if any(d.owned is not None for d in dists) else None
    return _core.assemble(comm.py2f(), None, local, owned)


def _with_lists(
    layout: _core.Layout, rank: int, dists: list[Dist], listed: list[bool]
) -> _core.Local:
    """Makes this process's part, without elements, of an array with index lists that only this process knows."""
    coords, dims, shape = layout.coords(rank), [], []
    version = "0.9.0" if any(d.wraps for d in dists) else "0.10.0"
    for axis, (d, own) in enumerate(zip(dists, listed)):
        dim = layout.dim(version, axis, coords[axis])
        if own:
            dim = ("u", *dim[1:4], None, None, None, None, None, d.indices, d.one_to_one)
        dims.append(dim)
        shape.append(len(d.indices) if own else layout.extent(axis, coords[axis]))
    return _core.Local.of_dims(version, tuple(dims), np.zeros(shape, np.int8))
