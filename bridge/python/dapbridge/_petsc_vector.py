"""Views of arrays as PETSc vectors, without a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _petsc4py
from ._base import ArrayBase
from ._petsc_options import petsc_options, petsc_part
from .views import View, joined_by

if TYPE_CHECKING:
    from . import _petsc


class PetscVector(View):
    """An array of any number of axes as a vector of PETSc, without a grid.

    Create a view with ``a.petsc_vector(...)``, which is collective on ``a.comm``. The vector is shared if each process
    owns a range of the vector's entries, in order. The vector is also shared if the array's slowest axis is
    unstructured. The attribute `ao` then maps elements of the array to entries of the vector. If the ghosts follow the
    owned indices in every list of indices, the vector is a ghosted vector of PETSc.

    If the vector cannot be shared, the elements are copied to a vector in natural order, and `restore` copies the
    elements back.

    Parameters
    ----------
    array : Array
        The array.
    access : {"rw", "r", "w"}
        If the vector is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w"). `restore`
        copies the vector back, except with "r".
    share : {"if-possible", "required", "never"}
        Whether the vector may be a copy. If sharing is impossible, "required" raises ShareError with the reason.
    order : {"C", "F"}
        Order in which the elements of several axes are numbered.
    natural : bool
        True if entry g of the vector must be element g of the array, so that no `ao` is needed.
    block_size : int, optional
        Block size of the vector. It must divide the number of elements.
    part : index expression, optional
        The part of the array that becomes the vector, such as ``np.s_[2:8, :, 0]``.
    lossy : bool
        True if conversions that can lose values are allowed.

    Raises
    ------
    ShareError
        `share` is "required", and the vector would be a copy.
    ArgumentError
        An argument is invalid or differs between the processes, or this process has no part of the array.
    ArrayBufferError
        A read-only array would be written to, or a conversion needs `lossy`.
    UnsupportedError
        An axis is partial, or `block_size` does not divide the number of elements.
    OverflowError
        There are more elements than PETSc's integers can count.
    ImportError
        petsc4py cannot be imported, uses a PETSc for which dapbridge was not built, or was imported without
        petsc4py.PETSc.

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
        array: ArrayBase,
        access: str = "rw",
        share: str = "if-possible",
        order: str | None = None,
        natural: bool = False,
        block_size: int | None = None,
        part: Any = None,
        lossy: bool = False,
    ) -> None:
        with joined_by(array, "dap_petsc_vector_get"):
            module = _petsc4py.module(array.comm)
            options = petsc_options(
                share=share, order=order, natural=natural, block_size=block_size, lossy=lossy
            )
            if part is not None:
                options["part"] = petsc_part(array, part, ranges=True)
        handle = module.Vector.get(array._handle, array.layout, array._local, access, options)
        super().__init__(handle, "vector", array.comm)

    @property
    def vec(self) -> Any:
        """The vector, as a petsc4py Vec; None on a process without elements of the part."""
        return self._handle.vec

    @property
    def ao(self) -> Any:
        """The petsc4py AO that maps elements of the array to entries of the vector. None if entry g is element g."""
        return self._handle.ao

    def halo_reverse(self, combine: str = "sum", padding: str = "keep") -> None:
        """Adds the values in the array's ghosts and padding to the elements on the owning processes. Collective.

        The sums are computed in the array's buffer. A vector that is not shared does not change.

        Parameters
        ----------
        combine
            How values are combined: "sum", "max" or "min". Complex elements allow only "sum".
        padding
            What the ghosts and padding contain afterwards: unchanged values ("keep"), 0 ("clear"), or the owners' new
            values ("refresh").
        """
        self._handle.halo_reverse(combine, "" if padding == "keep" else padding)
