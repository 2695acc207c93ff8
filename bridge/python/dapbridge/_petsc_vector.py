"""An array as a vector of PETSc, without a grid."""

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
