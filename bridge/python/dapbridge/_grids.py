"""The process grid of a new array: as even as possible, or the Cartesian topology of its communicator."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

from mpi4py import MPI

from ._errors import ArgumentError
from .dists import Dist, DistLike, as_dists

Dists = Union[DistLike, Sequence[DistLike], None]


class Topology(NamedTuple):
    """A Cartesian topology. MPI numbers its processes in row-major order, as layouts do."""

    procs: list[int]
    periodic: list[bool]

    def __str__(self) -> str:
        return f"comm has a Cartesian topology of {_in_words(self.procs)} processes"


def topology_of(comm: MPI.Comm) -> Topology | None:
    """Returns the Cartesian topology of a communicator, or None if it does not have one. A graph is not a grid."""
    if comm == MPI.COMM_NULL or comm.Is_inter() or comm.Get_topology() != MPI.CART:
        return None
    procs, periodic, _ = MPI.Cartcomm(comm).Get_topo()
    return Topology([int(n) for n in procs], [bool(p) for p in periodic])


def dists_on(
    comm: MPI.Comm, dist: Dists, ndim: int, grid: Sequence[int] | None, is_free: bool = False
) -> tuple[list[Dist], list[int]]:
    """Returns the distributions of all axes, and the extents of the process grid, on a communicator.

    The communicator's Cartesian topology is the default for both, and also determines which axes are periodic.
    Arguments that contradict the topology are refused. With `is_free` the topology is ignored instead.
    """
    _require_axes(ndim, comm.size)
    topology = topology_of(comm)
    if topology is None or ndim == 0:
        dists = as_dists(dist, ndim)
        return dists, grid_for(dists, comm.size, grid)
    dists = as_dists(["block"] * min(ndim, len(topology.procs)) if dist is None else dist, ndim)
    if all(d.kind in ("local", "replicated", "partial") for d in dists):
        return dists, grid_for(dists, comm.size, grid)
    try:
        return _as_in_topology(topology, dists, None if grid is None else _grid(grid, ndim))
    except ArgumentError as error:
        if is_free:
            return dists, grid_for(dists, comm.size, grid)
        raise ArgumentError(f"{error}; comm.Split() makes a communicator without a topology") from None


def _as_in_topology(
    topology: Topology, given: list[Dist], grid: list[int] | None
) -> tuple[list[Dist], list[int]]:
    dists, extents = list(given), [1] * len(given)
    if grid is not None:
        if len(grid) == len(topology.procs):
            grid = [n or p for n, p in zip(grid, topology.procs)]
        _check_grid(dists, [0] * len(dists), grid)
    for axis, dimension in _axes_of(topology, dists, grid):
        procs, asked = topology.procs[dimension], dists[axis].procs()
        if asked is not None and asked != procs:
            raise ArgumentError(f"{topology}, {procs} of them along axis {axis}, but dist is for {asked}")
        extents[axis] = procs
        dists[axis] = _on_ring(topology, dists[axis], axis, topology.periodic[dimension])
    return dists, grid_for(dists, _product(topology.procs), extents)


def _axes_of(topology: Topology, dists: list[Dist], grid: list[int] | None) -> list[tuple[int, int]]:
    """Returns pairs of an axis and the topology's dimension along this axis.

    Dimension k is along axis k if there are as many dimensions as axes. Otherwise, the dimensions are along the
    distributed axes, in order. Dimensions with one process at the end may be left out. If there is a grid, the grid
    determines which dimension is along which axis.
    """
    ndim, procs = len(dists), topology.procs
    if len(procs) > ndim and set(procs[ndim:]) == {1}:
        procs = procs[:ndim]
    if grid is not None and grid != procs:
        axes, dimensions = ([k for k, n in enumerate(e) if n != 1] for e in (grid, procs))
        if len(grid) == len(procs) or [grid[k] for k in axes] != [procs[i] for i in dimensions]:
            raise ArgumentError(f"{topology}, but grid is {_in_words(grid)}")
        return list(zip(axes, dimensions))
    distributed = [k for k, d in enumerate(dists) if d.is_distributed]
    if len(procs) in (ndim, len(distributed)):
        return list(zip(range(ndim) if len(procs) == ndim else distributed, range(len(procs))))
    if _product(procs) == 1:
        return []
    raise ArgumentError(f"{topology}, but dist distributes {len(distributed)} of {ndim} axes")


def _on_ring(topology: Topology, dist: Dist, axis: int, is_periodic: bool) -> Dist:
    if dist.kind not in ("block", "ceil"):
        return dist
    if dist.periodic is not None and dist.periodic != is_periodic:
        says, has = ("periodic", "not periodic") if dist.periodic else ("not periodic", "periodic")
        raise ArgumentError(f"{topology} that is {has} along axis {axis}, but dist says {says}")
    return dist.as_ring() if is_periodic else dist


def grid_for(dists: Sequence[Dist], nprocs: int, grid: Sequence[int] | None) -> list[int]:
    """Returns the extents of a grid of `nprocs` processes.

    `grid` or the distribution determines the number of processes along an axis. The other numbers are as even as
    possible.
    """
    _require_axes(len(dists), nprocs)
    fixed = [d.procs() or 0 for d in dists]
    if grid is not None:
        asked = _grid(grid, len(dists))
        _check_grid(dists, fixed, asked)
        fixed = asked
    known = _product([n or 1 for n in fixed])
    if (known != nprocs) if 0 not in fixed else nprocs % known:
        hint = "; name an axis to distribute, or 'replicated'" if known == 1 else ""
        raise ArgumentError(f"{nprocs} processes, but {_in_words(fixed)} along the axes{hint}")
    return [int(n) for n in MPI.Compute_dims(nprocs, fixed)] if dists else []


def _require_axes(ndim: int, nprocs: int) -> None:
    """Raises an error for an array without axes on several processes, which the protocol does not allow."""
    if ndim == 0 and nprocs > 1:
        raise ArgumentError(
            f"an array of 0 axes is on one process, and here are {nprocs}: use the number itself, which broadcasts "
            "(a.gather() gives that of an array to all), or the shape (1,) with dist 'replicated'"
        )


def _grid(grid: Any, ndim: int) -> list[int]:
    """Returns the argument as a list of integers."""
    if hasattr(grid, "__iter__") and all(hasattr(n, "__index__") for n in grid):
        return [operator.index(n) for n in grid]
    example = repr((grid, *[1] * (ndim - 1))) if hasattr(grid, "__index__") else "(2, 2)"
    raise ArgumentError(
        f"grid is {grid!r}, and it is a sequence of integers, the number of processes along each axis: {example}"
    )


def _check_grid(dists: Sequence[Dist], fixed: Sequence[int], grid: Sequence[int]) -> None:
    if len(grid) != len(dists):
        raise ArgumentError(f"grid has {len(grid)} extents for {len(dists)} axes")
    for axis, (asked, given) in enumerate(zip(grid, fixed)):
        if given and asked != given and not dists[axis].is_distributed:
            raise ArgumentError(
                f"grid: {asked} processes along axis {axis}, which dist does not distribute; "
                "without dist that is axis 0 alone, as ['block']"
            )
        if given and asked != given:
            raise ArgumentError(f"grid: {asked} processes along axis {axis}, but its dist is for {given}")


def _product(numbers: Sequence[int]) -> int:
    product = 1
    for n in numbers:
        product *= n
    return product


def _in_words(fixed: Sequence[int]) -> str:
    return " x ".join(str(n) if n else "any" for n in fixed)
