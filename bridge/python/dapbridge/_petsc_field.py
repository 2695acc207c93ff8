"""An array as a field of PETSc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _petsc4py
from ._base import ArrayBase
from ._petsc_dof import with_dof_axes
from ._petsc_options import petsc_options, petsc_part
from .views import View, joined_by

if TYPE_CHECKING:
    from . import _petsc

_VECTORS = {"global": 1, "local": 2}


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
    dof_axes : int or tuple of int, optional
        Which axes are degrees of freedom of a point: so many of the last ones, or these axes, in this order. None: the
        array's `component_axes`. PETSc keeps the degrees of freedom of a point together, so vectors of an array
        whose first axis holds components are copies, unless its storage order is "F".
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
        petsc4py cannot be imported, uses another PETSc than dapbridge, or was imported without petsc4py.PETSc.

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
        array: ArrayBase,
        width: int | None = None,
        star: bool = False,
        access: str = "rw",
        share: str = "if-possible",
        vectors: str | None = None,
        order: str | None = None,
        dof_axes: int | Sequence[int] | None = None,
        boundary: str = "none",
        strip_periodic: bool = False,
        dm: Any = None,
        part: Any = None,
        lossy: bool = False,
        matrix_width: int | None = None,
        matrix_star: bool = False,
    ) -> None:
        with joined_by(array, "dap_petsc_field_get"):
            module = _petsc4py.module(array.comm)
            place = None if part is None else petsc_part(array, part, ranges=False)
            count, place = with_dof_axes(array, dof_axes, place)
            options = petsc_options(
                width=width,
                star=star,
                matrix_width=matrix_width,
                matrix_star=matrix_star,
                share=share,
                order=order,
                dof_axes=count or None,
                boundary=None if boundary == "none" else boundary,
                strip_periodic=strip_periodic,
                dm=dm,
                lossy=lossy,
            )
            if vectors is not None:
                options["vectors"] = _VECTORS.get(vectors, vectors)
            if place is not None:
                options["part"] = place
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
