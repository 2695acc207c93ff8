"""Distributed arrays: a layout, and this process's part as a numpy array."""

from __future__ import annotations

import io
import math
import os
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any, NoReturn, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agreed, group_of, joined, require_mpi
from ._errors import ArgumentError, IndexingError, LibraryError, RemoteError, ShareError, UnsupportedError
from .dists import DistLike
from .dists import local as local_axis
from .exports import export, version_text
from .slices import part_of

if TYPE_CHECKING:
    from .lazy import Lazy
    from .matrix import ScalapackMatrix
    from .petsc import PetscField, PetscMatrix, PetscVector

NDArray = np.ndarray[Any, np.dtype[Any]]
Window = tuple[_core.Layout, list[int], Union[_core.Local, None]]
LayoutLike = Union["Array", _core.Layout, DistLike, Sequence[DistLike]]


def type_name(dtype: npt.DTypeLike) -> str:
    """The library's name of an element type, which is numpy's."""
    name = np.dtype(dtype).newbyteorder("=").name
    _core.dtype_typestr(name)
    return name


def _opened(file: str | os.PathLike[str] | IO[Any], stack: ExitStack) -> IO[Any]:
    """A file to write to, without anything in its buffer; one of a path is closed by `stack`."""
    try:
        if isinstance(file, (str, os.PathLike)):
            return stack.enter_context(open(file, "wb"))
        inner = getattr(file, "buffer", file)
        if not isinstance(getattr(inner, "raw", inner), io.FileIO):  # one that compresses, say
            raise ArgumentError(f"export(): {type(file).__name__} is no plain file")
        file.flush()
        return file
    except OSError as e:
        raise LibraryError(f"export(): {e}") from e


class Array:
    """A distributed array.

    Made by the functions of this package (`array`, `zeros`, `from_global`, `from_dap`...), by slicing,
    and by moving another one (`redistribute`).

    Attributes
    ----------
    layout : _core.Layout
        Where each element is.
    comm : mpi4py.MPI.Comm
        The processes of the layout, in the order of its ranks; MPI.COMM_NULL on a process outside,
        which only slicing makes.
    over : mpi4py.MPI.Comm
        The communicator that moves of the array are collective on. It contains `comm`, and mostly is
        it.
    ranks : list of int or None
        The rank in `over` of each process of the layout; None: rank i is process i.
    rank : int
        This process's number in the layout, -1 outside.
    base : Array or None
        The array whose memory this one is a window of.
    """

    def __init__(
        self,
        layout: _core.Layout,
        local: _core.Local | None,
        comm: MPI.Comm,
        over: MPI.Comm | None = None,
        ranks: list[int] | None = None,
        dtype: str | None = None,
        base: Array | None = None,
    ) -> None:
        self.layout = layout
        self.comm = comm
        self.over = comm if over is None else over
        self.ranks = ranks
        self.base = base
        self.rank = -1 if comm == MPI.COMM_NULL else comm.rank
        self._local = local
        self._handle = -1 if comm == MPI.COMM_NULL else comm.py2f()
        self._over_handle = self._handle if over is None else over.py2f()
        self._type = local.dtype if local is not None else dtype or ""
        self._plans: dict[tuple[str, ...], _core.Plan] = {}
        self._keeps: object = None

    # ---- the whole ----

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the whole array."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.layout.ndim

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.layout.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, with the byte order of this process's part."""
        return np.dtype(self._type if self._local is None else self._local.typestr)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of the elements of the whole array."""
        return self.size * self.itemsize

    # ---- this process's part ----

    @property
    def local(self) -> NDArray:
        """This process's buffer, communication padding and ghosts included: a numpy view, no copy.

        The memory lives as long as the view. A process outside the layout has an empty array.
        """
        if self._local is None:
            return np.empty((0,) * max(self.ndim, 1), self._type)
        return np.asarray(self._local).view(self.dtype)

    @property
    def owned(self) -> NDArray:
        """What this process owns of its buffer: a numpy view, without communication padding and ghosts.

        Each element of the array is in the owned part of exactly one process; of a replicated axis in
        that of the first.

        Raises
        ------
        UnsupportedError
            The elements owned are no rectangle with even steps, as in some lists with ghosts: use
            ``a.local[np.ix_(*a.owned_positions())]``, which is a copy.
        """
        view = self.local
        if self.rank < 0:
            return view
        return view[tuple(self._owned_slice(k, c) for k, c in enumerate(self.coords))]

    def _owned_slice(self, axis: int, coord: int) -> slice:
        positions = self._owned_positions(axis, coord)
        if len(positions) == 0:
            return slice(0, 0)
        first = int(positions[0])
        step = int(positions[1]) - first if len(positions) > 1 else 1
        if np.any(np.diff(positions) != step):
            raise UnsupportedError(
                f"axis {axis}: the elements owned are at uneven distances in the buffer; "
                "use local[np.ix_(*owned_positions())], a copy"
            )
        return slice(first, int(positions[-1]) + 1, step)

    def _owned_positions(self, axis: int, coord: int) -> npt.NDArray[np.intp]:
        return np.flatnonzero(np.frombuffer(self.layout.is_owned(axis, coord), np.bool_))

    @property
    def coords(self) -> tuple[int, ...]:
        """This process's place on the grid of processes."""
        if self.rank < 0:
            raise ArgumentError("this process has no part of the array")
        return self.layout.coords(self.rank)

    def owned_positions(self) -> tuple[npt.NDArray[np.intp], ...]:
        """Along each axis, the positions in the local buffer that this process owns."""
        if self.rank < 0:
            return (np.empty(0, np.intp),) * self.ndim
        return tuple(self._owned_positions(k, c) for k, c in enumerate(self.coords))

    def indices(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Along each axis, the global index of each position of the local buffer.

        Examples
        --------
        >>> a = dapbridge.zeros((3, 4), MPI.COMM_SELF)
        >>> i, j = np.ix_(*a.indices())
        >>> a.local[...] = 10 * i + j
        >>> a.local[2]
        array([20., 21., 22., 23.])
        """
        if self.rank < 0:
            return (np.empty(0, np.int64),) * self.ndim
        return tuple(self._indices(k, c) for k, c in enumerate(self.coords))

    def _indices(self, axis: int, coord: int) -> npt.NDArray[np.int64]:
        facts = self.layout.axis(axis)
        if facts["replicated"] or facts["partial"]:
            return np.arange(facts["size"])
        if facts["dist_type"] == "u":
            listed = self.layout.dim(None, axis, coord)[9]
            return np.array(np.asarray(listed), np.int64)
        result = np.zeros(self.layout.extent(axis, coord), np.int64)
        for start, position, length in self.layout.runs(axis, coord):
            result[position : position + length] = np.arange(start, start + length)
            if facts["dist_type"] == "b":
                result = (start - position + np.arange(len(result))) % facts["size"]
        return result

    # ---- out ----

    def __distarray__(self, version: str | tuple[int, ...] | None = None) -> dict[str, Any]:
        """The export of the Distributed Array Protocol: dictionaries, and `local` as buffer.

        Parameters
        ----------
        version
            "0.10.0", "0.9.0", or (0, 0, 1), whose keys are other ones. None: 0.10, or 0.9 where only
            that can express the array.

        Raises
        ------
        UnsupportedError
            The version cannot express the array.
        """
        if self._local is None:
            raise ArgumentError("this process has no part of the array")
        if version is None:
            version = self._local.version
        return export(self.layout, self.rank, version, self.local)

    def json(self) -> str:
        """This process's dictionaries, and the form of its buffer, as JSON text. Not collective.

        Examples
        --------
        >>> print(dapbridge.zeros(3, MPI.COMM_SELF).json())  # doctest: +NORMALIZE_WHITESPACE
        {"__version__": "0.10.0", "dim_data": [{"dist_type": "b", "size": 3, "proc_grid_size": 1,
        "proc_grid_rank": 0, "start": 0, "stop": 3}], "buffer": {"shape": [3], "dtype": "<f8", "strides": [8]}}
        """
        if self._local is None:
            raise ArgumentError("this process has no part of the array")
        return self._local.json()

    def export(self, file: str | os.PathLike[str] | IO[Any], version: str | tuple[int, ...] | None = None) -> None:
        """Writes all processes' `json` as a document, which the command ``dapbridge`` reads.

        Process 0 of `comm` writes it. Collective on `comm`.

        Parameters
        ----------
        file
            A path; or an open file of the system, such as sys.stdout, to whose end it is written. Used on
            process 0.
        version
            Of the protocol, as in `__distarray__`; the same on all processes.

        Raises
        ------
        UnsupportedError
            The version cannot express the array.
        LibraryError
            The file cannot be written.

        Examples
        --------
        >>> a = dapbridge.zeros((4, 6), MPI.COMM_SELF)
        >>> a.export("a.json")  # then, in a shell: dapbridge explain a.json
        """
        if self.rank < 0:
            return
        with ExitStack() as stack:
            opened = None
            with agreed(self.comm, "export()"):
                text = None if version is None else version_text(version)
                self.__distarray__(version)  # so that a file that is there is kept where this fails
                if self.rank == 0:
                    opened = _opened(file, stack)
            _core.export(self._handle, text, self.layout, self._local, opened)

    def gather(self, root: int | None = None) -> NDArray | None:
        """The whole array as a numpy array, on process `root` of `over` (elsewhere None), or on all.

        Collective on `over`.
        """
        from ._moves import gather

        return gather(self, root)

    def redistribute(
        self,
        target: LayoutLike | None = None,
        out: Array | None = None,
        grid: Sequence[int] | None = None,
        dtype: npt.DTypeLike = None,
        **options: Any,
    ) -> Array:
        """The same elements, laid out otherwise.

        Collective on `over`.

        Parameters
        ----------
        target
            A layout, an array whose layout it shall be, or distributions as in `zeros`. Not with `out`.
        out
            The array that gets the elements.
        grid
            Processes along each axis; with distributions.
        dtype
            Element type of the new array. None: the same.
        options
            As of `Plan`.

        Returns
        -------
        Array
            `out`, or a new array.

        Examples
        --------
        >>> a = dapbridge.from_global(np.arange(6.0), MPI.COMM_SELF, "block")
        >>> a.redistribute("cyclic").gather()
        array([0., 1., 2., 3., 4., 5.])
        """
        from .lazy import Lazy

        return Lazy(self).redistribute(target, out, grid, dtype, **options)

    def copy(self, dtype: npt.DTypeLike = None) -> Array:
        """A new array of the same layout. Collective on `over`."""
        from .lazy import Lazy

        with agreed(self.over, "copy()"):
            given = Lazy(self) if dtype is None else self.astype(dtype)
        return given.copy()

    # ---- halos ----

    def halo_update(self) -> None:
        """Fills communication padding, ghosts and copies from their owners. Collective on `comm`.

        Raises
        ------
        ArgumentError
            There is nothing to fill.
        """
        if self._local is not None:
            self._in_place("halo", {}).run(self._local, self._local)

    def halo_reverse(self, combine: str = "sum", padding: str = "keep") -> None:
        """What is in communication padding and ghosts is added to the elements of their owners.

        Collective on `comm`.

        Parameters
        ----------
        combine
            "sum", or of real elements "max" or "min".
        padding
            What becomes of padding and ghosts: "keep", "clear" (0), or "refresh" (the new values).
        """
        from ._plan_options import plan_options

        if self._local is not None:
            with agreed(self.comm, "halo_reverse()"):
                options = plan_options(combine=combine, padding=padding)
            self._in_place("halo_reverse", options).run(self._local, self._local)

    def _in_place(self, name: str, options: dict[str, Any]) -> _core.Plan:
        require_mpi()
        key = (name, *options.values())
        if key not in self._plans:
            create = _core.Plan.halo if name == "halo" else _core.Plan.halo_reverse
            side = (self.layout, self._local, None, None, None)
            self._plans[key] = create(self._handle, side, 0, options)
        return self._plans[key]

    def check_copies(self) -> None:
        """Raises ArrayBufferError unless all copies of elements are as on their owners. Collective on `comm`.
        """
        require_mpi()
        if self._local is not None:
            _core.replicas_check(self._handle, self.layout, self._local)

    # ---- parts ----

    def __getitem__(self, key: Any) -> Array:
        """``a[lo:hi, i, ..., None]``: integers, slices with step 1, an ellipsis, None.

        Where the protocol can express the part in place it is a window of the same memory, with this
        array as `base`, on the processes that have some of it. Else it is a new array, and `base` is
        None: cyclic axes that are cut within blocks, unstructured ones whose lists do not allow it.
        Collective on `over`.
        """
        from ._moves import moved_part

        part, found = self._part(key)
        words = zlib.crc32(repr(part).encode())
        mine = np.array([found is not None, words, -words])
        if self.over.size > 1:
            all_ = np.empty_like(mine)
            self.over.Allreduce(mine, all_, MPI.MIN)
            if all_[1] != -all_[2]:
                _core.fail(
                    _core.STATUSES.index("ARG"), "slices of an array differ between the processes"
                )
            if not all_[0]:
                found = None
        if found is None:
            return moved_part(self, part)
        layout, ranks, local = found
        return self._on(layout, ranks, local)

    def _part(self, key: Any) -> tuple[_core.PartTuple, Window | None]:
        """The part that an index expression names, and its window. Collective; agreed."""
        try:
            with agreed(self.over, "slice of an array"):
                part = part_of(key, self.shape)
                return part, self._window(part)
        except ArgumentError as e:
            raise IndexingError(str(e), e.rank, e.rule) from e.__cause__

    def _window(self, part: _core.PartTuple) -> Window | None:
        try:
            layout, ranks = self.layout.part(part)
            if self._local is None:
                return layout, ranks, None
            return layout, ranks, self._local.part(self.layout, self.rank, part)
        except (ShareError, RemoteError, UnsupportedError):
            return None

    def _on(self, layout: _core.Layout, ranks: list[int], local: _core.Local | None) -> Array:
        """An array in this one's memory, whose process i is this one's process ranks[i]."""
        if len(ranks) == self.layout.nprocs:
            if ranks != sorted(ranks):
                layout = layout.reorder(ranks)
            return Array(layout, local, self.comm, self.over, self.ranks, self._type, self)
        over_ranks = ranks if self.ranks is None else [self.ranks[r] for r in ranks]
        comm = group_of(self.over, over_ranks)
        return Array(layout, local, comm, self.over, over_ranks, self._type, self)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise TypeError(
            "elements are set by process, in .local or .owned (those of a slice in a[lo:hi].local), or by a Plan"
        )

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-dimensional array")
        return self.shape[0]

    def __bool__(self) -> NoReturn:
        raise TypeError("a distributed array has no truth value")

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError(
            "distributed arrays are not compared by ==: compare their .local parts, or use `is`"
        )

    __hash__ = object.__hash__
    __iter__ = None

    # ---- lazy views ----

    def astype(self, dtype: npt.DTypeLike) -> Lazy:
        """The array in another type, converted by the plan that moves it; as by numpy, lossy casts included.

        Values that the new type cannot hold saturate; of complex ones the real part is taken.
        """
        from .lazy import Lazy

        return Lazy(self).astype(dtype)

    @property
    def T(self) -> Lazy:
        """The array with its axes in reverse order, transposed by the plan that moves it."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Lazy:
        """The array with permuted axes, as in numpy."""
        from .lazy import Lazy

        return Lazy(self).transpose(*axes)

    def conj(self) -> Lazy:
        """The array with conjugate elements, conjugated by the plan that moves it."""
        from .lazy import Lazy

        return Lazy(self).conj()

    # ---- solvers ----

    def explain(self, routine: str | None = None) -> str:
        """Whether ScaLAPACK could use the array in place, and why or why not. Not collective.

        Parameters
        ----------
        routine
            Name of a routine, whose demands count, too: "pdsyevd".
        """
        can, reason, form = _core.matrix_explain(self.layout, self._local, self.rank, routine)
        return f"in place: {form}" if can else f"moved: {reason}"

    def scalapack(self, *args: Any, **options: Any) -> ScalapackMatrix:
        """The array as a matrix of ScaLAPACK, for a ``with`` block; see `ScalapackMatrix`. Collective."""
        from .matrix import ScalapackMatrix

        return ScalapackMatrix(self, *args, **options)

    def petsc_field(self, *args: Any, **options: Any) -> PetscField:
        """The array as a DMDA and vectors of PETSc, for a ``with`` block; see `PetscField`. Collective."""
        from .petsc import PetscField

        return PetscField(self, *args, **options)

    def petsc_vector(self, *args: Any, **options: Any) -> PetscVector:
        """The array as a vector of PETSc, for a ``with`` block; see `PetscVector`. Collective."""
        from .petsc import PetscVector

        return PetscVector(self, *args, **options)

    def petsc_matrix(self, *args: Any, **options: Any) -> PetscMatrix:
        """The array as a matrix of PETSc, for a ``with`` block; see `PetscMatrix`. Collective."""
        from .petsc import PetscMatrix

        return PetscMatrix(self, *args, **options)

    def __matmul__(self, other: Any) -> Any:
        from .linalg import matmul

        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from .linalg import matmul

        return matmul(other, self)

    # ---- in words and pictures ----

    def __repr__(self) -> str:
        place = f"rank {self.rank}" if self.rank >= 0 else "no part here"
        return f"<dapbridge.Array {self.layout.summary()}; {self.dtype}; {place}>"

    def draw(self) -> str:
        """Who owns what, as a text."""
        return self.layout.draw()

    def _repr_svg_(self) -> str:
        from .draw import svg

        return svg(self.layout)

    # ---- what cannot be ----

    __array_ufunc__ = None

    def __array__(self, dtype: npt.DTypeLike = None) -> NDArray:
        if self.over.size > 1:
            raise TypeError(
                "a distributed array is no numpy array: gather() makes one of all elements, "
                ".local is one of those of this process"
            )
        return np.asarray(self.owned, dtype)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "a distributed array cannot be pickled or copied by one process: its elements are on several; "
            "use gather(), copy(), or pickle .local"
        )


def new_array(
    layout: _core.Layout,
    comm: MPI.Comm,
    dtype: npt.DTypeLike,
    order: str = "C",
    shared: bool = True,
    ranks: list[int] | None = None,
) -> Array:
    """A new array of zeros on the first processes of `comm`, or on `ranks` of it. Collective on `comm`."""
    require_mpi()
    if ranks is None and layout.nprocs < comm.size:
        ranks = list(range(layout.nprocs))
    places = list(range(comm.size)) if ranks is None else ranks
    rank = places.index(comm.rank) if comm.rank in places else -1
    memory = None
    if not shared or places[: layout.nprocs] != list(range(layout.nprocs)) or _is_partial(layout):
        with agreed(comm, "dapbridge: new array"):
            name = _checked(dtype, order)
            if rank >= 0:
                memory = _core.Local.make(*_expressible(layout, rank), name, order)
    else:
        with joined(comm, "dap_array_alloc_contiguous"):
            name = _checked(dtype, order)
        memory, _ = _core.Local.alloc(comm.py2f(), layout, name, order, True)
    own = comm if ranks is None else group_of(comm, ranks)
    array = Array(layout, memory if rank >= 0 else None, own, comm, ranks, name)
    array._keeps = memory
    return array


def _checked(dtype: npt.DTypeLike, order: str) -> str:
    """The library's name of the type."""
    if order not in ("C", "F"):
        raise ArgumentError(f"order {order!r} is neither 'C' nor 'F'")
    return type_name(dtype)


def wrap(layout: _core.Layout, rank: int, buffer: NDArray) -> _core.Local:
    """What process `rank` has of an array, in a numpy array. Not collective."""
    whole, place = _expressible(layout, rank)
    return _core.Local.wrap(whole, place, buffer, buffer.dtype.str)


def _is_partial(layout: _core.Layout) -> bool:
    return any(layout.axis(k)["partial"] for k in range(layout.ndim))


def _expressible(layout: _core.Layout, rank: int) -> tuple[_core.Layout, int]:
    """A layout and a rank whose dictionaries the protocol has: of partial axes those of one process alone."""
    if not _is_partial(layout):
        return layout, rank
    extents = [layout.extent(k, c) for k, c in enumerate(layout.coords(rank))]
    return _core.Layout([local_axis().entry(n, 1) for n in extents]), 0
