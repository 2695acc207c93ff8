"""Views as objects of PETSc, by petsc4py; and objects of petsc4py as arrays.

PETSc is not thread-safe, so neither is anything here: while a thread is in one of these functions, which
release the interpreter's lock, no other may be in one or in petsc4py.

What a view gave (``f.local``, ``v.vec``...) must not be used once the view has ended; if it is, of a
shared view that reads and writes the array's buffer, which lives as long as the vector or matrix does. Of
those that Python drops petsc4py destroys the last reference in ``PETSc.garbage_cleanup()``. Duplicates of
a shared MATSHELL must be destroyed before the array.

PETSc keeps norms of vectors: who writes to the array's buffer while a view is live, or to one of two
vectors that are one memory, calls `load`, which tells PETSc.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from . import _core
from ._comms import agreed, require_mpi
from ._errors import ArgumentError
from .array import Array
from .slices import part_of
from .views import View, joined_by

if TYPE_CHECKING:
    from . import _petsc

_SHARING = {"if-possible": "possible", "required": "required", "never": "never"}
_VECTORS = {"global": 1, "local": 2}

# ---- which PETSc ----

_loaded: ModuleType | None = None


def _petsc4py(comm: MPI.Comm) -> Any:
    """petsc4py.PETSc. To import it starts PETSc, which all processes of COMM_WORLD must do."""
    if "petsc4py.PETSc" not in sys.modules and comm.size < MPI.COMM_WORLD.size:
        raise ImportError(
            "petsc4py.PETSc is not imported: importing it starts PETSc, which all processes of "
            "MPI.COMM_WORLD must do; import it in the program"
        )
    try:
        return importlib.import_module("petsc4py.PETSc")
    except ModuleNotFoundError as e:
        raise ImportError(f"dapbridge's views of PETSc need petsc4py: {e}") from e


def _library(path: str) -> str:
    return os.path.realpath(path) if path else "a library that does not show PetscInitialize()"


def _load(petsc: Any) -> ModuleType:
    """The module for petsc4py's PETSc."""
    scalar = np.dtype(petsc.ScalarType)
    size = np.dtype(petsc.IntType).itemsize
    name = f"_petsc{'64' if size == 8 else ''}_{'complex' if scalar.kind == 'c' else 'real'}"
    theirs = f"petsc4py ({petsc.__file__}) has PETSc {'.'.join(map(str, petsc.Sys.getVersion()))}"
    try:
        module = importlib.import_module(f".{name}", __package__)
    except ModuleNotFoundError as e:
        raise ImportError(
            f"dapbridge.{name} was not built, and {theirs} with {scalar} scalars and {size}-byte integers"
        ) from e
    except ImportError as e:
        raise ImportError(f"{e}; {theirs}") from e
    mine = f"dapbridge.{name} uses PETSc {'.'.join(map(str, module.version()))}"
    if module.version() != petsc.Sys.getVersion() or module.SCALAR != scalar.name:
        raise ImportError(f"{mine} with {module.SCALAR} scalars; {theirs} with {scalar} ones")
    paths = _library(module.library_path()), _library(module.library_path(petsc.__file__))
    if paths[0] != paths[1]:
        raise ImportError(f"{mine}, {paths[0]}; {theirs}, {paths[1]}")
    return module


def _module(comm: MPI.Comm) -> Any:
    global _loaded
    if _loaded is None:
        _loaded = _load(_petsc4py(comm))
    return _loaded


# ---- views ----


def _part(array: Array, part: Any, ranges: bool) -> _core.PartTuple:
    """Of an index expression; without `ranges` the shape is left out where it says nothing."""
    axes, start, shape = part_of(part, array.shape)
    kept = range(array.ndim) if axes is None else [k for k in axes if k >= 0]
    if not ranges and shape is not None and all(shape[k] == array.shape[k] for k in kept):
        shape = None
    return axes, start, shape


def _options(**given: Any) -> dict[str, Any]:
    """Those that are not the defaults."""
    options = {name: value for name, value in given.items() if value is not None and value is not False}
    share = options.pop("share", "if-possible")
    if share != "if-possible":
        options["sharing"] = _SHARING.get(share, share)
    return options


class PetscField(View):
    """An array as a field of PETSc: a DMDA, with a global and a local (ghosted) vector.

    ``a.petsc_field(...)`` makes one; collective on ``a.comm``. The last axis is x. The local vector is
    shared where the array's padding is exactly the ghost points of the DMDA, the global one where what a
    process owns is contiguous; if both are, they are one memory. What is not shared is a vector of
    PETSc's, to which the elements are moved, and from which `restore` moves them back: from the global
    vector, if it was wanted, else from the local one.

    Solvers are made on ``f.dm.comm``, as the DMDA can have fewer processes, or others in order. A process
    that has nothing of the part has None for `dm`, `local` and `global_vec`.

    Parameters
    ----------
    array : Array
        One to three axes, and `dof_axes` more.
    width : int, optional
        Of the stencil, in points. None: the array's widest halo.
    star : bool
        A stencil without corners.
    matrix_width : int, optional
        Of the stencil of `dm`'s matrices. None: `width`, and then a row has 25 entries for `width` 2 in two
        dimensions, 125 in three.
    matrix_star : bool
        Matrices by a stencil without corners; `star` implies it.
    access : {"rw", "r", "w"}
        A moved view begins with the array's elements ("r") or with zeros ("w"), and is written back with
        "w".
    share : {"if-possible", "required", "never"}
        "required": raises ShareError with the reason where a vector would be a copy.
    vectors : {"global", "local"}, optional
        None: both.
    order : {"C", "F"}, optional
        Which axis is x: the last before `dof_axes`, or the first. None: the one that is fastest in memory.
    dof_axes : int
        How many of the last axes are degrees of freedom of a point.
    boundary : {"none", "ghosted"}
        Boundary padding is points like all others, or ghost points outside the grid.
    strip_periodic : bool
        The boundary padding of periodic axes repeats the other end.
    dm : petsc4py.PETSc.DMDA, optional
        The DMDA to use: an earlier field's, with which a loop gets fields fast, or your own with the
        array's points.
    part : index expression, optional
        A field of some axes: ``np.s_[:, :, 3]``. Axes that are kept are kept whole.
    lossy : bool
        Allow conversions of the elements that can lose something.

    Raises
    ------
    ShareError
        `share` is "required", and a vector would be a copy.
    ArgumentError, ArrayBufferError, UnsupportedError, OverflowError
        There is no such view; the same on every process.
    ImportError
        petsc4py cannot be imported, or uses another PETSc than dapbridge.

    Examples
    --------
    >>> a = dapbridge.zeros((4, 6), MPI.COMM_SELF)
    >>> with a.petsc_field(width=1) as f:
    ...     f.global_vec.set(2.0)
    ...     f.dm.getSizes(), f.shared_global, f.shared_local
    ((6, 4), True, True)
    >>> float(a.local.sum())
    48.0
    """

    _handle: _petsc.Field

    def __init__(
        self,
        array: Array,
        width: int | None = None,
        star: bool = False,
        access: str = "rw",
        share: str = "if-possible",
        vectors: str | None = None,
        order: str | None = None,
        dof_axes: int = 0,
        boundary: str = "none",
        strip_periodic: bool = False,
        dm: Any = None,
        part: Any = None,
        lossy: bool = False,
        matrix_width: int | None = None,
        matrix_star: bool = False,
    ) -> None:
        with joined_by(array, "dap_petsc_field_get"):
            module = _module(array.comm)
            options = _options(
                width=width,
                star=star,
                matrix_width=matrix_width,
                matrix_star=matrix_star,
                share=share,
                order=order,
                dof_axes=dof_axes or None,
                boundary=None if boundary == "none" else boundary,
                strip_periodic=strip_periodic,
                dm=dm,
                lossy=lossy,
            )
            if vectors is not None:
                options["vectors"] = _VECTORS.get(vectors, vectors)
            if part is not None:
                options["part"] = _part(array, part, ranges=False)
        handle = module.Field.get(array._handle, array.layout, array._local, access, options)
        super().__init__(handle, "field", array.comm)
        self._wanted = ("global", "local") if vectors is None else (vectors,)

    @property
    def dm(self) -> Any:
        """The DMDA, a petsc4py DM; a reference that is kept outlives the view."""
        return self._handle.dm

    @property
    def local(self) -> Any:
        """The local vector, with ghost points; None if it was not wanted."""
        return self._handle.local

    @property
    def global_vec(self) -> Any:
        """The global vector; None if it was not wanted."""
        return self._handle.global_vec

    @property
    def shared(self) -> bool:
        """Whether all vectors that were asked for lie in the array's own buffer."""
        return all(getattr(self._handle, f"shared_{name}") for name in self._wanted)

    @property
    def reason(self) -> str:
        """Why each vector that was asked for is shared, or why not."""
        return "; ".join(f"{name}: {getattr(self._handle, f'reason_{name}')}" for name in self._wanted)

    @property
    def shared_global(self) -> bool:
        """Whether `global_vec` lies in the array's own buffer; the same on every process."""
        return self._handle.shared_global

    @property
    def shared_local(self) -> bool:
        """Whether `local` does. If both do, they are one memory."""
        return self._handle.shared_local

    @property
    def reason_global(self) -> str:
        """Why it is shared, or why not; the same on every process."""
        return self._handle.reason_global

    @property
    def reason_local(self) -> str:
        """Why it is shared, or why not; the same on every process."""
        return self._handle.reason_local

    def halo_reverse(self, combine: str = "sum", padding: str = "keep") -> None:
        """What is in the array's padding is added to the points that it stands for, as `Array.halo_reverse`.

        In the array's buffer; moved vectors stay as they are. Collective.
        """
        self._handle.halo_reverse(combine, "" if padding == "keep" else padding)


class PetscVector(View):
    """An array of any number of axes as a vector of PETSc, without a grid.

    ``a.petsc_vector(...)`` makes one; collective on ``a.comm``. It is shared where what the processes own
    are ranges of its entries, in order; or where the slowest axis is unstructured: `ao` then maps
    elements to entries. With ghosts behind the owned part of each list it is a ghosted vector. Else it is
    a vector of PETSc's in natural order, to which the elements are moved, and back by `restore`.

    Parameters
    ----------
    array : Array
        Its elements.
    access : {"rw", "r", "w"}
        A moved view begins with the array's elements ("r") or with zeros ("w"), and is written back with
        "w".
    share : {"if-possible", "required", "never"}
        "required": raises ShareError with the reason where the vector would be a copy.
    order : {"C", "F"}
        How elements of several axes are numbered.
    natural : bool
        Entry g must be element g: never an `ao`.
    block_size : int, optional
        Of the vector; it divides the number of elements.
    part : index expression, optional
        The part of the array that becomes the vector: ``np.s_[2:8, :, 0]``.
    lossy : bool
        Allow conversions of the elements that can lose something.

    Raises
    ------
    ShareError, ArgumentError, ArrayBufferError, UnsupportedError, OverflowError, ImportError
        As for `PetscField`.

    Examples
    --------
    >>> a = dapbridge.from_global(np.arange(6.0), MPI.COMM_SELF, "block")
    >>> with a.petsc_vector() as v:
    ...     v.vec.scale(2.0)
    ...     v.shared, v.vec.norm(0)
    (True, 30.0)
    >>> a.local
    array([ 0.,  2.,  4.,  6.,  8., 10.])
    """

    _handle: _petsc.Vector

    def __init__(
        self,
        array: Array,
        access: str = "rw",
        share: str = "if-possible",
        order: str | None = None,
        natural: bool = False,
        block_size: int | None = None,
        part: Any = None,
        lossy: bool = False,
    ) -> None:
        with joined_by(array, "dap_petsc_vector_get"):
            module = _module(array.comm)
            options = _options(
                share=share, order=order, natural=natural, block_size=block_size, lossy=lossy
            )
            if part is not None:
                options["part"] = _part(array, part, ranges=True)
        handle = module.Vector.get(array._handle, array.layout, array._local, access, options)
        super().__init__(handle, "vector", array.comm)

    @property
    def vec(self) -> Any:
        """The vector, a petsc4py Vec; None on a process that has nothing of the part."""
        return self._handle.vec

    @property
    def ao(self) -> Any:
        """The petsc4py AO from elements to entries; None: entry g is element g."""
        return self._handle.ao

    def halo_reverse(self, combine: str = "sum", padding: str = "keep") -> None:
        """What ghosts and padding of the array hold is added to the elements, as `Array.halo_reverse`.

        In the array's buffer; a moved vector stays as it is. Collective.
        """
        self._handle.halo_reverse(combine, "" if padding == "keep" else padding)


class PetscMatrix(View):
    """An array of two axes as a matrix of PETSc: element (i, j) is element (i, j).

    ``a.petsc_matrix(...)`` makes one; collective on ``a.comm``. Ranges of rows in Fortran order are
    shared as a MATDENSE, ranges of columns in C order as the transpose of one, the other two as a
    MATSHELL that multiplies. Else it is a matrix of PETSc's, to which the elements are moved, and back by
    `restore`: it must be assembled.

    Parameters
    ----------
    array : Array
        Its elements.
    access : {"rw", "r", "w"}
        A moved view begins with the array's elements ("r") or with zeros ("w"), and is written back with
        "w".
    share : {"if-possible", "required", "never"}
        "required": raises ShareError with the reason where the matrix would be a copy.
    form : {"any", "dense", "scalapack"}
        "dense": MATDENSE, with all of its operations. "scalapack": MATSCALAPACK, always moved.
    block_size : int or two, optional
        Of MATSCALAPACK.
    part : index expression, optional
        The part that becomes the matrix, of two axes: ``np.s_[:, 3, 2:8]``.
    lossy : bool
        Allow conversions of the elements that can lose something.

    Raises
    ------
    ShareError, ArgumentError, ArrayBufferError, UnsupportedError, OverflowError, ImportError
        As for `PetscField`.

    Examples
    --------
    >>> a = dapbridge.from_global(np.eye(3), MPI.COMM_SELF, "block")
    >>> with a.petsc_matrix(access="r") as m:
    ...     x, y = m.mat.createVecs()
    ...     x.set(2.0)
    ...     m.mat.mult(x, y)
    ...     m.shared, y.getArray()
    (True, array([2., 2., 2.]))
    """

    _handle: _petsc.Matrix

    def __init__(
        self,
        array: Array,
        access: str = "rw",
        share: str = "if-possible",
        form: str = "any",
        block_size: int | Sequence[int] | None = None,
        part: Any = None,
        lossy: bool = False,
    ) -> None:
        with joined_by(array, "dap_petsc_matrix_get"):
            module = _module(array.comm)
            options = _options(share=share, form=None if form == "any" else form, lossy=lossy)
            if block_size is not None:
                options["block_size"] = (
                    tuple(block_size) if isinstance(block_size, Sequence) else block_size
                )
            if part is not None:
                options["part"] = _part(array, part, ranges=True)
        handle = module.Matrix.get(array._handle, array.layout, array._local, access, options)
        super().__init__(handle, "matrix", array.comm)

    @property
    def mat(self) -> Any:
        """The matrix, a petsc4py Mat; None on a process that has nothing of the part."""
        return self._handle.mat


# ---- from PETSc ----

_own: dict[tuple[int, ...], MPI.Comm] = {}
"""Communicators of arrays of PETSc's objects, by their processes in COMM_WORLD. PETSc frees its own with the
last object on them, which arrays that were made of one can outlive."""


def _comm_of(petsc: Any, comm: MPI.Comm | None) -> MPI.Comm:
    """A communicator with the processes of PETSc's: the caller's, or one that is never freed."""
    theirs = petsc.comm.tompi4py()
    alike = (MPI.IDENT, MPI.CONGRUENT)
    with agreed(theirs, "dapbridge.from_petsc()"):
        if comm is not None and MPI.Comm.Compare(comm, theirs) not in alike:
            raise ArgumentError("comm has not the processes of PETSc's object, in their order")
    if comm is not None:
        return comm
    for known in (MPI.COMM_WORLD, MPI.COMM_SELF):
        if MPI.Comm.Compare(known, theirs) in alike:
            return known
    world = MPI.COMM_WORLD.group
    ranks = tuple(MPI.Group.Translate_ranks(theirs.group, range(theirs.size), world))
    if ranks not in _own:
        _own[ranks] = theirs.Dup()
    return _own[ranks]


def _is_local(vec: Any, da: Any) -> bool:
    """Whether a vector of a DMDA is a local one of it; on one process without ghost points it is both."""
    if da.comm.size > 1:
        return bool(vec.comm.size == 1)
    return bool(vec.getSize() != math.prod(da.getSizes()) * da.getDof())


def _array(imported: tuple[_core.Layout, _core.Local], comm: MPI.Comm) -> Array:
    return Array(imported[0], imported[1], comm)


def from_petsc(obj: Any, comm: MPI.Comm | None = None) -> Array:
    """An array of a petsc4py object, mostly in its own memory. Collective on the object's communicator.

    * A global vector of a DMDA: an axis for each of the DMDA's, x last, and one more for several degrees
      of freedom.
    * A local vector of a DMDA: the same, with its ghost points as padding. Collective on the DMDA's
      communicator.
    * Another vector: one axis of blocks.
    * A MATDENSE: two axes, rows in ranges, Fortran order. A MATSCALAPACK: a read-only copy.
    * A DMDA: a new array of zeros like its local vectors.

    While the array lives it has the object's memory: the object must not be used. It is given back when
    the last reference to the array's buffer (`Array`, views of numpy) is gone.

    Parameters
    ----------
    obj : petsc4py.PETSc.Vec, Mat or DMDA
        One that is not locked gives an array that can be written to.
    comm
        The array's communicator, with the same processes as the object's. None: MPI.COMM_WORLD,
        MPI.COMM_SELF, or a duplicate of the object's that is never freed.

    Raises
    ------
    TypeError
        It is none of these.
    ArgumentError, UnsupportedError
        The library cannot import it; the same on every process.

    Examples
    --------
    >>> from petsc4py import PETSc
    >>> da = PETSc.DMDA().create([6, 4], stencil_width=1, comm=MPI.COMM_SELF)
    >>> vec = da.createGlobalVec()
    >>> a = dapbridge.from_petsc(vec)
    >>> a.shape
    (4, 6)
    >>> a.local[1, 2] = 7
    >>> del a
    >>> vec[8]
    array(7.)
    """
    require_mpi()
    petsc = sys.modules.get("petsc4py.PETSc")
    if petsc is None or not isinstance(obj, (petsc.Vec, petsc.Mat, petsc.DM)):
        raise TypeError(f"{type(obj).__name__}: neither a Vec, nor a Mat, nor a DMDA of petsc4py")
    if not obj:
        raise ArgumentError(f"a petsc4py {type(obj).__name__} that was not created, or has been destroyed")
    module = _module(MPI.COMM_WORLD)
    if isinstance(obj, petsc.Mat):
        own = _comm_of(obj, comm)
        return _array(module.import_matrix(obj), own)
    dm = obj if isinstance(obj, petsc.DM) else module.dm_of(obj)
    if dm is None or dm.getType() != petsc.DM.Type.DA:
        if isinstance(obj, petsc.DM):
            raise TypeError("a DM that is no DMDA")
        own = _comm_of(obj, comm)
        return _array(module.import_vector(obj), own)
    own = _comm_of(dm, comm)
    if isinstance(obj, petsc.DM):
        vec = dm.createLocalVec()
        layout = module.import_field_local(vec)[0]
        vec.destroy()  # now: what Python drops petsc4py keeps until PETSc.garbage_cleanup()
        return Array(layout, _core.Local.make(layout, own.rank, module.SCALAR, "C"), own)
    if _is_local(obj, dm):
        return _array(module.import_field_local(obj), own)
    return _array(module.import_field(obj), own)
