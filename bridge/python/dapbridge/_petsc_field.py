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
    """An array as a field of PETSc: a DMDA with a global and a local (ghosted) vector.

    ``a.petsc_field(...)`` makes it, collectively on ``a.comm``. x is the array's last axis, unless `order` says
    otherwise.

    The local vector is shared if the array's padding is exactly the ghost points of the DMDA. The global vector is
    shared if the elements that a process owns are contiguous. If both are shared, they have the same memory.

    Elements are moved to a vector that is not shared. `restore` moves them back from the global vector, or from the
    local one if the field has no global vector.

    Make solvers on ``f.dm.comm``, because the DMDA can have fewer processes or another order. `dm`, `local` and
    `global_vec` are None on a process that does not have any of the part.

    Parameters
    ----------
    array : Array
        One to three axes, and `dof_axes` more.
    width : int, optional
        Width of the stencil, in points. None means the array's widest halo.
    star : bool
        True if the stencil has no corners.
    matrix_width : int, optional
        Width of the stencil of `dm`'s matrices, in points. None: `width`. For width 2 a row then has 25 entries on two
        axes, and 125 on three.
    matrix_star : bool
        True if the stencil of matrices has no corners. `star` implies it.
    access : {"rw", "r", "w"}
        A moved vector begins with the array's elements ("r") or with zeros ("w"), and is written back with "w".
    share : {"if-possible", "required", "never"}
        Says whether vectors may be copies. "required" raises ShareError with the reason if one would be.
    vectors : {"global", "local"}, optional
        The vector that the field has. None: both.
    order : {"C", "F"}, optional
        The axis that is x: the last one before `dof_axes` ("C"), or the first ("F"). None means the one that is fastest
        in memory.
    dof_axes : int or tuple of int, optional
        The axes that are degrees of freedom of a point: a number of last axes, or these axes in this order. None: the
        array's `component_axes`. PETSc keeps the degrees of freedom of a point together. So vectors of an array whose
        first axis holds components are copies, unless its storage order is "F".
    boundary : {"none", "ghosted"}
        Says whether boundary padding is points of the grid ("none"), or ghost points outside it ("ghosted").
    strip_periodic : bool
        True if the boundary padding of periodic axes repeats the other end.
    dm : petsc4py.PETSc.DMDA, optional
        The DMDA to use: that of an earlier field, which makes fields fast in a loop, or one that the program made.
    part : index expression, optional
        The axes of the field: ``np.s_[:, :, 3]``. An axis that is kept must be kept whole.
    lossy : bool
        Allows conversions that can lose values.

    Raises
    ------
    ShareError
        `share` is "required", and a vector would be a copy.
    ArgumentError
        An argument is invalid or differs between the processes, or this process has no part of the array.
    ArrayBufferError
        The array is read-only, or a conversion needs `lossy`.
    UnsupportedError
        No field can have these axes, this padding or these boundaries.
    OverflowError
        There are more elements than PETSc's integers count.
    ImportError
        petsc4py cannot be imported, uses a different PETSc from dapbridge, or was imported without petsc4py.PETSc.

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
        """The DMDA, a petsc4py DM. A reference that the program keeps outlives the view."""
        return self._handle.dm

    @property
    def local(self) -> Any:
        """The local vector, with ghost points. None if the field does not have it."""
        return self._handle.local

    @property
    def global_vec(self) -> Any:
        """The global vector. None if the field does not have it."""
        return self._handle.global_vec

    @property
    def shared(self) -> bool:
        """True if all vectors of the field are in the array's buffer."""
        return all(getattr(self._handle, f"shared_{name}") for name in self._wanted)

    @property
    def reason(self) -> str:
        """Says why each vector of the field is shared, or why not."""
        return "; ".join(f"{name}: {getattr(self._handle, f'reason_{name}')}" for name in self._wanted)

    @property
    def shared_global(self) -> bool:
        """True if `global_vec` is in the array's buffer. It is the same on every process."""
        return self._handle.shared_global

    @property
    def shared_local(self) -> bool:
        """True if `local` is in the array's buffer. It is the same on every process."""
        return self._handle.shared_local

    @property
    def reason_global(self) -> str:
        """Says why `global_vec` is shared, or why not. It is the same on every process."""
        return self._handle.reason_global

    @property
    def reason_local(self) -> str:
        """Says why `local` is shared, or why not. It is the same on every process."""
        return self._handle.reason_local

    def halo_reverse(self, combine: str = "sum", padding: str = "keep") -> None:
        """Adds the values in the array's padding to the points on their owners. Collective.

        The sums are computed in the array's buffer. Moved vectors do not change.

        Parameters
        ----------
        combine
            "sum", or for real elements "max" or "min".
        padding
            What happens to the padding: "keep" (unchanged), "clear" (0), or "refresh" (the new values).
        """
        self._handle.halo_reverse(combine, "" if padding == "keep" else padding)
