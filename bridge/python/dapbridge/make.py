"""Functions that make new distributed arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agree_equal, agreed
from ._errors import ArgumentError, LayoutError
from ._extents import dist_of_parts, extents_along
from ._given import elements_of
from ._grids import Dists, dists_on
from ._integers import integer
from ._keywords import spelled, spelled_on
from ._layouts import layout_on
from ._local_part import LocalPart, NDArray
from ._memory import new_array, new_result, type_name, wrap
from ._moves import move
from .array import Array
from .dists import Dist, block
from .producers import converter_of


@spelled_on("dapbridge.array()")
def array(
    local: npt.ArrayLike,
    comm: MPI.Comm,
    dist: Dists = None,
    grid: Sequence[int] | None = None,
) -> Array:
    """Makes a distributed array from one part on each process. No element is copied or moved.

    The extents of the whole array follow from the extents of the parts. Collective on `comm`.

    If `comm` has a Cartesian topology (`Create_cart`), this topology is the process grid. The dimensions of the
    topology correspond to the axes, in order. If there are more axes than dimensions, the dimensions correspond to the
    distributed axes. Without `dist`, the axes that correspond to dimensions are distributed in blocks. If a dimension
    is periodic, an axis in blocks along it is periodic, and its padding wraps around. `dist` and `grid` must not
    contradict the topology.

    Parameters
    ----------
    local
        This process's part: a numpy array with any strides, which becomes the array's buffer. The part includes
        communication padding and ghosts if `dist` specifies any. `local` can also be an object that `from_dap`,
        `from_mpi4py_fft`, `from_partitioned` or `from_petsc` accepts. For such an object, omit `dist` and `grid`.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name such as "block", or a `Dist` such as ``cyclic(2)``. Axes without an entry are
        not distributed. None means blocks along the first axis, or along the dimensions of a Cartesian `comm`.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.

    Raises
    ------
    LayoutError
        The parts do not form an array. The message names the process and the axis.
    ArgumentError
        An argument is invalid or differs between the processes.

    Examples
    --------
    >>> part = np.ones((3, 4))
    >>> a = dapbridge.array(part, MPI.COMM_SELF, ["cyclic", "block"])
    >>> a.shape
    (3, 4)
    >>> np.shares_memory(a.local, part)
    True
    """
    function = "dapbridge.array()"
    converter = converter_of(local) if dist is None and grid is None else None
    if converter is not None:
        return converter(local, comm)
    with agreed(comm, function):
        mine = elements_of(local, "local", is_part=True)
        dists, extents = dists_on(comm, dist, mine.ndim, grid)
        largest = [_largest(d) for d in dists]
        kind = type_name(mine.dtype)
    names = [_without_lists(d) for d in dists]
    facts = comm.allgather((mine.shape, extents, names, largest, kind))
    for rank, other in enumerate(facts):
        for what, a, b in zip(("axes", "grid", "dist", "type"), _compared(facts[0]), _compared(other)):
            if a != b:
                raise LayoutError(f"{function}: {what}: {a} on rank 0, {b} on rank {rank}", rank)
    shape = []
    for axis, d in enumerate(dists):
        lengths = extents_along([f[0] for f in facts], axis, extents)
        dists[axis], size = dist_of_parts(d, lengths, max(f[3][axis] for f in facts))
        shape.append(size)
    layout = layout_on(shape, comm, dists, extents)
    with agreed(comm, function):
        wrapped = wrap(layout, comm.rank, mine)
    return Array(layout, wrapped, comm)


def _largest(d: Dist) -> int:
    lists = d.indices if d.has_all_lists else [d.indices]
    return max((int(i.max()) for i in lists if i is not None and len(i)), default=-1)


def _without_lists(d: Dist) -> Dist:
    return replace(d, indices=None, owned=None)


def _compared(
    facts: tuple[tuple[int, ...], list[int], list[Dist], list[int], str]
) -> tuple[Any, ...]:
    return len(facts[0]), facts[1], facts[2], facts[4]


# ---- arrays of their own memory ----


@spelled_on("dapbridge: layout")
def zeros(
    shape: int | Sequence[int],
    comm: MPI.Comm,
    dist: Dists = None,
    dtype: npt.DTypeLike = float,
    grid: Sequence[int] | None = None,
    order: str = "C",
    shared: bool = True,
) -> Array:
    """Creates an array of zeros. Collective on `comm`.

    Parameters
    ----------
    shape
        Extents of the whole array.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name such as "block", or a `Dist` such as ``cyclic(2)``. Axes without an entry are
        not distributed. None means blocks along the first axis, or along the dimensions of a Cartesian `comm`.
    dtype
        Element type.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.
    order
        Storage order of the parts, "C" or "F".
    shared
        True if the processes of each node share the memory of the array, so that plans can copy elements directly.

    Raises
    ------
    ArgumentError, DimError, ArrayBufferError
        An argument is invalid or differs between the processes. A negative size raises DimError, and an unknown type
        raises ArrayBufferError.

    Examples
    --------
    >>> print(dapbridge.zeros((4, 6), MPI.COMM_SELF, ["block", dapbridge.cyclic(2)], np.complex64).local.sum())
    0j
    """
    layout = layout_on(shape, comm, dist, grid)
    return new_array(Array, layout, comm, dtype, order, shared)


@spelled_on("dapbridge: layout")
def empty(
    shape: int | Sequence[int],
    comm: MPI.Comm,
    dist: Dists = None,
    dtype: npt.DTypeLike = float,
    grid: Sequence[int] | None = None,
    order: str = "C",
    shared: bool = True,
) -> Array:
    """Creates an array of zeros, exactly as `zeros` does, under numpy's name. Collective on `comm`.

    Parameters
    ----------
    shape
        Extents of the whole array.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name, or a `Dist`. None means blocks along the first axis, or along the dimensions
        of a Cartesian `comm`.
    dtype
        Element type.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.
    order
        Storage order of the parts, "C" or "F".
    shared
        True if the processes of each node share the memory of the array, so that plans can copy elements directly.
    """
    return zeros(shape, comm, dist, dtype, grid, order, shared)


@spelled_on("dapbridge.full()")
def full(
    shape: int | Sequence[int],
    fill_value: Any,
    comm: MPI.Comm,
    dist: Dists = None,
    dtype: npt.DTypeLike = None,
    grid: Sequence[int] | None = None,
    order: str = "C",
    shared: bool = True,
) -> Array:
    """Creates an array, and sets all its elements and padding to `fill_value`. Collective on `comm`.

    Parameters
    ----------
    shape
        Extents of the whole array.
    fill_value
        A number, or a numpy array that broadcasts to every part.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name, or a `Dist`. None means blocks along the first axis, or along the dimensions
        of a Cartesian `comm`.
    dtype
        Element type. None means the type of `fill_value`.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.
    order
        Storage order of the parts, "C" or "F".
    shared
        True if the processes of each node share the memory of the array, so that plans can copy elements directly.
    """
    function = "dapbridge.full()"
    with agreed(comm, function):
        value = elements_of(fill_value, "fill_value")
        kind = value.dtype if dtype is None else dtype
        _require_real(value.dtype, kind, "fill_value")
    result = zeros(shape, comm, dist, kind, grid, order, shared)
    with agreed(comm, function):
        result.local[...] = value
    return result


def _require_real(given: np.dtype[Any], dtype: npt.DTypeLike, what: str) -> None:
    """Raises an error if imaginary parts would be lost."""
    if given.kind == "c" and np.dtype(dtype).kind != "c":
        raise ArgumentError(f"{what} is {given}, and dtype {np.dtype(dtype)} would lose imaginary parts: give .real")


@spelled("dap_array_alloc_contiguous", lambda other: other.over)
def like(other: Array, dtype: npt.DTypeLike = None, order: str = "C", shared: bool = True) -> Array:
    """Creates an array of zeros with the layout of another array. Collective on ``other.over``.

    Parameters
    ----------
    other
        The array whose layout and processes are used.
    dtype
        Element type. None means the type of `other`.
    order
        Storage order of the parts, "C" or "F".
    shared
        True if the processes of each node share the memory of the array, so that plans can copy elements directly.

    Examples
    --------
    >>> dapbridge.like(dapbridge.zeros((4, 6), MPI.COMM_SELF), np.float32).dtype
    dtype('float32')
    """
    kind = other.dtype if dtype is None else dtype
    return new_array(Array, other.layout, other.over, kind, order, shared, other.ranks)


@spelled_on("dapbridge: layout")
def from_function(
    function: Callable[..., Any],
    shape: int | Sequence[int],
    comm: MPI.Comm,
    dist: Dists = None,
    dtype: npt.DTypeLike = None,
    grid: Sequence[int] | None = None,
) -> Array:
    """Creates an array whose elements are ``function(i, j, ...)``, as `numpy.fromfunction` does. Collective on `comm`.

    Parameters
    ----------
    function
        A function that each process calls once, with an array of global indices for each axis. These arrays broadcast
        to the shape of the local buffer.
    shape
        Extents of the whole array.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name, or a `Dist`. None means blocks along the first axis, or along the dimensions
        of a Cartesian `comm`.
    dtype
        Element type. None means float64, or a wider type, such as complex128, if the values on any process require one.
        A real type raises an error if values are complex.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.

    Examples
    --------
    >>> dapbridge.from_function(lambda i, j: 10 * i + j, (2, 3), MPI.COMM_SELF).gather()
    array([[ 0.,  1.,  2.],
           [10., 11., 12.]])
    """
    name = "dapbridge.from_function()"
    layout = layout_on(shape, comm, dist, grid)
    with agreed(comm, name):
        part = LocalPart(layout, comm.rank, None, "float64")
        values = elements_of(function(*np.ix_(*part.indices())), "the result of function", is_part=True)
        type_name(values.dtype)
    kinds = comm.allgather(values.dtype.newbyteorder("="))
    with agreed(comm, name):
        kind = np.result_type(np.float64, *kinds) if dtype is None else np.dtype(dtype)
        for given in kinds:
            _require_real(given, kind, "the function's value")
    result = new_array(Array, layout, comm, kind)
    with agreed(comm, name):
        result.local[...] = values
    return result


@spelled_on("dapbridge.from_global()")
def from_global(
    a: npt.ArrayLike | None,
    comm: MPI.Comm,
    dist: Dists = None,
    root: int = 0,
    grid: Sequence[int] | None = None,
    dtype: npt.DTypeLike = None,
) -> Array:
    """Creates an array with the elements of a numpy array on one process. Collective on `comm`.

    Parameters
    ----------
    a
        On process `root`, the whole array. Other processes can pass any value, such as None.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name, or a `Dist`. None means blocks along the first axis, or along the dimensions
        of a Cartesian `comm`.
    root
        Rank of the process that has `a`. The argument must be the same on all processes.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.
    dtype
        Element type. None means the type of `a`.

    Examples
    --------
    >>> dapbridge.from_global([[1, 2], [3, 4]], MPI.COMM_SELF, ["block", "cyclic"]).gather()
    array([[1, 2],
           [3, 4]])
    """
    function = "dapbridge.from_global()"
    whole: NDArray | None = None
    with agreed(comm, function):
        root = integer(root, "root")
        if not 0 <= root < comm.size:
            raise ArgumentError(f"root {root} of {comm.size} processes")
        if comm.rank == root:
            if a is None:
                raise ArgumentError(f"process {root} (root) has None, not the elements")
            whole = elements_of(a, "a")
            type_name(whole.dtype)
            _require_real(whole.dtype, whole.dtype if dtype is None else dtype, "a")
    agree_equal(comm, function, "root", root)
    shape, kind = comm.bcast(None if whole is None else (whole.shape, whole.dtype.str), root)
    target = new_result(Array, layout_on(shape, comm, dist, grid), comm, kind if dtype is None else dtype)
    with agreed(comm, function):
        one = _core.Layout([block().entry(n, 1) for n in shape])
        local = None if whole is None else wrap(one, 0, whole)
    own = MPI.COMM_SELF if whole is not None else MPI.COMM_NULL
    move(Array(one, local, own, comm, [root], type_name(kind)), target, lossy=True, fill_halos=True)
    return target
