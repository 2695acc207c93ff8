"""Views of arrays as PETSc matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _petsc4py
from ._base import ArrayBase
from ._petsc_options import petsc_options, petsc_part
from .views import View, joined_by

if TYPE_CHECKING:
    from . import _petsc


class PetscMatrix(View):
    """An array with two axes as a PETSc matrix. Element (i, j) of the matrix is element (i, j) of the array.

    Create a view with ``a.petsc_matrix(...)``, which is collective on ``a.comm``. The matrix is shared as a MATDENSE if
    each process has a range of rows in Fortran order, and as the transpose of a MATDENSE if each process has a range of
    columns in C order. Ranges of rows in C order, and ranges of columns in Fortran order, are shared as a MATSHELL,
    which supports products.

    If the matrix cannot be shared, the elements are copied to a PETSc matrix. Assemble the matrix before `restore`
    copies the elements back.

    Parameters
    ----------
    array : Array
        The array.
    access : {"rw", "r", "w"}
        If the matrix is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w"). `restore`
        copies the matrix back, except with "r".
    share : {"if-possible", "required", "never"}
        Whether the matrix may be a copy. If sharing is impossible, "required" raises ShareError with the reason.
    form : {"any", "dense", "scalapack"}
        "dense" means a MATDENSE with all its operations. "scalapack" means a MATSCALAPACK, which is always a copy.
    block_size : int or (int, int), optional
        Block sizes of a MATSCALAPACK.
    part : index expression, optional
        The part with two axes that becomes the matrix, such as ``np.s_[:, 3, 2:8]``.
    lossy : bool
        True if conversions that can lose values are allowed.

    Raises
    ------
    ShareError
        `share` is "required", and the matrix would be a copy.
    ArgumentError
        An argument is invalid or differs between the processes, or this process has no part of the array.
    ArrayBufferError
        A read-only array would be written to, or a conversion needs `lossy`.
    UnsupportedError
        The part does not have two axes, an axis is partial, or PETSc was built without MATSCALAPACK.
    OverflowError
        There are more elements than PETSc's integers can count.
    ImportError
        petsc4py cannot be imported, uses a PETSc for which dapbridge was not built, or was imported without
        petsc4py.PETSc.

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
        array: ArrayBase,
        access: str = "rw",
        share: str = "if-possible",
        form: str = "any",
        block_size: int | Sequence[int] | None = None,
        part: Any = None,
        lossy: bool = False,
    ) -> None:
        with joined_by(array, "dap_petsc_matrix_get"):
            module = _petsc4py.module(array.comm)
            options = petsc_options(share=share, form=None if form == "any" else form, lossy=lossy)
            if block_size is not None:
                options["block_size"] = (
                    tuple(block_size) if isinstance(block_size, Sequence) else block_size
                )
            if part is not None:
                options["part"] = petsc_part(array, part, ranges=True)
        handle = module.Matrix.get(array._handle, array.layout, array._local, access, options)
        super().__init__(handle, "matrix", array.comm)

    @property
    def mat(self) -> Any:
        """The matrix, as a petsc4py Mat; None on a process without elements of the part."""
        return self._handle.mat
