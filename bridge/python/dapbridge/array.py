"""Distributed arrays: what each process has, and what all do together."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, NoReturn, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agreed, require_comm, require_held, require_mpi
from ._document import write_document
from ._local_part import LocalPart, NDArray
from ._no_numpy import NoNumpy
from ._plan_options import plan_options
from .dists import DistLike

if TYPE_CHECKING:
    from .lazy import Lazy
    from .matrix import ScalapackMatrix
    from .petsc import PetscField, PetscMatrix, PetscVector

LayoutLike = Union["Array", _core.Layout, DistLike, Sequence[DistLike]]


class Array(LocalPart, NoNumpy):
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
        for given in (comm, comm if over is None else over):
            require_comm(given, "dapbridge.Array()")
        super().__init__(layout, -1 if comm == MPI.COMM_NULL else comm.rank, local, dtype)
        self.comm = comm
        self.over = comm if over is None else over
        self.ranks = ranks
        self.base = base
        self._handle = -1 if comm == MPI.COMM_NULL else comm.py2f()
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
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of the elements of the whole array."""
        return self.size * self.itemsize

    # ---- out ----

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
        require_held(self, "export()")
        write_document(self, file, version)

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

        require_held(self, "copy()")
        with agreed(self.over, "copy()"):
            given = Lazy(self) if dtype is None else self.astype(dtype)
        return given.copy()

    # ---- halos ----

    def halo_update(self, allow_empty: bool = False) -> None:
        """Fills communication padding, ghosts and copies from their owners. Collective on `comm`.

        Parameters
        ----------
        allow_empty
            Whether there may be nothing to fill, so that the update does nothing.

        Raises
        ------
        ArgumentError
            There is nothing to fill.
        """
        require_held(self, "halo_update()")
        if self._local is not None:
            self._in_place("halo", {"allow_empty": True} if allow_empty else {}).run(self._local, self._local)

    def halo_reverse(self, combine: str = "sum", padding: str = "keep", allow_empty: bool = False) -> None:
        """What is in communication padding and ghosts is added to the elements of their owners.

        Collective on `comm`.

        Parameters
        ----------
        combine
            "sum", or of real elements "max" or "min".
        padding
            What becomes of padding and ghosts: "keep", "clear" (0), or "refresh" (the new values).
        allow_empty
            As of `halo_update`.
        """
        require_held(self, "halo_reverse()")
        if self._local is not None:
            with agreed(self.comm, "halo_reverse()"):
                options = plan_options(combine=combine, padding=padding, allow_empty=allow_empty)
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
        require_held(self, "check_copies()")
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
        from ._windows import slice_of

        return slice_of(self, key)

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

    def draw(self, plane: Sequence[int | None] | None = None) -> str:
        """Who owns what, as a text; `dapbridge.draw.svg` makes a picture, and says what `plane` is."""
        return self.layout.draw(plane)

    def _repr_svg_(self) -> str:
        from .draw import svg

        return svg(self.layout)

    # ---- what cannot be ----

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
