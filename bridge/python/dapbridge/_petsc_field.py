"""Views of arrays as PETSc fields."""

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

    Create a view with ``a.petsc_field(...)``, which is collective on ``a.comm``. By default, the axis that varies
    fastest in memory becomes the DMDA's x axis; see `order`.

    The local vector is shared if the array's padding corresponds exactly to the ghost points of the DMDA. The global
    vector is shared if the elements that each process owns are contiguous in its buffer. If both vectors are shared,
    they use the same memory.

    If a vector is not shared, the elements are copied to the vector. `restore` copies the elements back from the global
    vector, or from the local vector if the field has no global vector.

    Create solvers on ``f.dm.comm``, because the DMDA can have fewer processes than the array, or another order of
    processes. `dm`, `local` and `global_vec` are None on a process without elements of the part.

    Parameters
    ----------
    array : Array
        An array with one to three axes, in addition to `dof_axes`.
    width : int, optional
        Width of the stencil, in points. None means the array's widest halo.
    star : bool
        True if the stencil has no corners.
    matrix_width : int, optional
        Width of the stencil of `dm`'s matrices, in points. None means `width`. With width 2, a row has 25 entries for
        two axes, and 125 for three.
    matrix_star : bool
        True if the stencil of matrices has no corners. `star` implies `matrix_star`.
    access : {"rw", "r", "w"}
        If a vector is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w"). `restore`
        copies the vector back, except with "r".
    share : {"if-possible", "required", "never"}
        Whether vectors may be copies. If sharing is impossible, "required" raises ShareError with the reason.
    vectors : {"global", "local"}, optional
        The vector that the field has. None means that the field has both vectors.
    order : {"C", "F"}, optional
        The axis of the array that becomes the DMDA's x axis: the last axis before `dof_axes` ("C"), or the first axis
        ("F"). None means the axis that varies fastest in memory.
    dof_axes : int or tuple of int, optional
        The axes that hold the degrees of freedom of a point: either the number of such axes at the end, or a tuple of
        axes. The last of these varies fastest. None means the array's `component_axes`. PETSc stores the degrees of
        freedom of a point together. So if the first axis of an array holds components, the vectors are copies, unless
        the array's storage order is "F".
    boundary : {"none", "ghosted"}
        Whether the elements of boundary padding are points of the grid ("none"), or ghost points outside the grid
        ("ghosted").
    strip_periodic : bool
        True if the boundary padding of a periodic axis repeats the elements at the other end, and becomes ghost points.
        False if this padding becomes grid points.
    dm : petsc4py.PETSc.DMDA, optional
        The DMDA to use: either the DMDA of an earlier field, which makes a loop over fields faster, or a DMDA that the
        program created.
    part : index expression, optional
        The part of the array that becomes the field, such as ``np.s_[:, :, 3]``. The part must contain all elements
        along each of its axes.
    lossy : bool
        True if conversions that can lose values are allowed.

    Raises
    ------
    ShareError
        `share` is "required", and a vector would be a copy.
    ArgumentError
        An argument is invalid or differs between the processes, or this process has no part of the array.
    ArrayBufferError
        A read-only array would be written to, or a conversion needs `lossy`.
    UnsupportedError
        A field cannot have these axes, this padding or these boundaries.
    OverflowError
        There are more elements than PETSc's integers can count.
    ImportError
        petsc4py cannot be imported, uses a PETSc for which dapbridge was not built, or was imported without
        petsc4py.PETSc.

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
        """The DMDA, as a petsc4py DM. A reference that the program keeps remains valid after the view has ended."""
        return self._handle.dm

    @property
    def local(self) -> Any:
        """The local vector, with ghost points. None if the field has no local vector."""
        return self._handle.local

    @property
    def global_vec(self) -> Any:
        """The global vector. None if the field has no global vector."""
        return self._handle.global_vec

    @property
    def shared(self) -> bool:
        """True if all vectors of the field use the array's buffer."""
        return all(getattr(self._handle, f"shared_{name}") for name in self._wanted)

    @property
    def reason(self) -> str:
        """Explains for each vector of the field why it is shared or not."""
        return "; ".join(f"{name}: {getattr(self._handle, f'reason_{name}')}" for name in self._wanted)

    @property
    def shared_global(self) -> bool:
        """True if `global_vec` uses the array's buffer. The value is the same on every process."""
        return self._handle.shared_global

    @property
    def shared_local(self) -> bool:
        """True if `local` uses the array's buffer. The value is the same on every process."""
        return self._handle.shared_local

    @property
    def reason_global(self) -> str:
        """Explains why `global_vec` is shared or not. The text is the same on every process."""
        return self._handle.reason_global

    @property
    def reason_local(self) -> str:
        """Explains why `local` is shared or not. The text is the same on every process."""
        return self._handle.reason_local

    def halo_reverse(self, combine: str = "sum", padding: str = "keep") -> None:
        """Adds the values in the array's padding to the corresponding points on the owning processes. Collective.

        The sums are computed in the array's buffer. Vectors that are not shared do not change.

        Parameters
        ----------
        combine
            How values are combined: "sum", "max" or "min". Complex elements allow only "sum".
        padding
            What the padding contains afterwards: unchanged values ("keep"), 0 ("clear"), or the owners' new values
            ("refresh").
        """
        self._handle.halo_reverse(combine, "" if padding == "keep" else padding)
