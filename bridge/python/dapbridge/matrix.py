"""Views of arrays as ScaLAPACK matrices."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._base import ArrayBase
from ._errors import ArgumentError
from .slices import part_of
from .views import View, joined_by

if TYPE_CHECKING:
    from . import _scalapack

NDArray = np.ndarray[Any, np.dtype[Any]]


class ScalapackMatrix(View):
    """An array, or two of its axes, as a column-major block-cyclic matrix of ScaLAPACK.

    Create a view with ``a.scalapack(...)``, which is collective on ``a.comm``. If ScaLAPACK can use the array's buffer,
    the view is shared and `data` is that buffer. For an array in C order the view is the transposed matrix, and `op` is
    "T". If ScaLAPACK cannot use the buffer, the elements are copied to a block-cyclic matrix, and `restore` copies them
    back.

    Call ScaLAPACK with `data`, `desc`, `ia` and `ja`, and with `op` as TRANS. `data_pointer` and `desc_pointer` are for
    calls with ctypes. A process outside the matrix's grid has the context ``desc[1] == -1`` and must not call
    ScaLAPACK. BLACS and ScaLAPACK are not thread-safe, and neither are these views.

    Parameters
    ----------
    array : Array
        The array. The element type is float32, float64, complex64, complex128, or ScaLAPACK's integer type.
    routine : str, optional
        The ScaLAPACK routine to which the matrix will be passed, such as "pdsyevd" or "syevd". The view meets the
        requirements of this routine.
    access : {"rw", "r", "w"}
        If the view is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w"). `restore`
        copies the elements back, except with "r".
    share : {"if-possible", "required", "never"}
        Whether the view may be a copy. If sharing is impossible, "required" raises ShareError with the reason.
    op : {"N", "T"}, optional
        The required op. With "N", element (i, j) of the matrix is element (i, j) of the array. With "T", it is element
        (j, i). None means the op that allows sharing, if there is one.
    part : index expression, optional
        A sub-matrix, or a plane of an array with more than two axes, such as ``np.s_[:, i, 2:8]``. None means the whole
        array if there are two axes, and a column if there is one axis. If there are more axes, None means the plane of
        the last two axes, at index 0 of the others.
    block_size : int or (int, int), optional
        Block sizes, along the array's two axes, of a view that is not shared.
    grid : (int, int), optional
        Numbers of processes, along the array's two axes, of a view that is not shared. The product of the two numbers
        must not exceed the number of processes of the array.
    aligned_with : ScalapackMatrix, optional
        Another live view, which will be an argument of the same ScaLAPACK call. The new view has the grid and the
        context of that view and, if it is not shared, the same block sizes.
    context : int, optional
        A BLACS context of the program, or -1 on processes outside its grid. The view uses the grid of this context.
    dtypes : sequence of str
        Names of the allowed element types. This argument and the following ones are requirements in addition to those
        of `routine`.
    square : bool
        The matrix has as many rows as columns.
    least_size : int
        Smallest allowed number of rows, and of columns.
    square_blocks : bool
        Blocks are square.
    any_sources : bool
        The first block may be on any process.
    several_blocks : bool
        If there are several processes, the matrix has more than one block of columns.
    spans_grid : bool
        The number of rows or the number of columns is at least the number of processes.
    occupied : bool
        Each row and each column of the process grid holds a block.
    tall_grid : bool
        The process grid of a square matrix that is not shared has at least as many rows as columns.
    factorised : bool
        The matrix is copied, not shared, if its blocks make factorisations slow.
    no_row_pair : bool
        A matrix on several processes does not have exactly one row and two columns.
    least_block, most_block : int
        Smallest and largest allowed block size.
    offset : {"none", "block", "any"}
        Where a sub-matrix may begin: only at the first element, at the beginning of a block, or anywhere.
    align : {"grid", "rows", "longer", "same", "leading"}
        How the matrix must be aligned with the first matrix argument of the routine.
    columns : int, optional
        Number of columns of the matrix, if the matrix must have more columns than the array.

    Raises
    ------
    ShareError
        `share` is "required", and the view would be a copy.
    ArgumentError
        An argument is invalid or differs between the processes, or this process has no part of the array.
    ArrayBufferError
        ScaLAPACK does not support the element type, or a read-only array would be written to.
    UnsupportedError
        An axis is partial, or no view meets the requirements.
    OverflowError
        A size exceeds the range of ScaLAPACK's integers.

    Examples
    --------
    >>> a = dapbridge.from_global(np.arange(6.0).reshape(2, 3), MPI.COMM_SELF, "block")
    >>> with a.scalapack() as m:
    ...     m.op, m.shared, m.data.shape
    ...     m.data[2, 0] = 20
    ('T', True, (3, 2))
    >>> a.local
    array([[ 0.,  1., 20.],
           [ 3.,  4.,  5.]])
    """

    _handle: _scalapack.Matrix

    def __init__(
        self,
        array: ArrayBase,
        routine: str | None = None,
        access: str = "rw",
        share: str = "if-possible",
        op: str | None = None,
        part: Any = None,
        block_size: int | Sequence[int] | None = None,
        grid: Sequence[int] | None = None,
        aligned_with: ScalapackMatrix | None = None,
        context: int | None = None,
        *,
        dtypes: Sequence[str] | None = None,
        square: bool | None = None,
        least_size: int | None = None,
        square_blocks: bool | None = None,
        any_sources: bool | None = None,
        several_blocks: bool | None = None,
        spans_grid: bool | None = None,
        occupied: bool | None = None,
        tall_grid: bool | None = None,
        factorised: bool | None = None,
        no_row_pair: bool | None = None,
        least_block: int | None = None,
        most_block: int | None = None,
        offset: str | None = None,
        align: str | None = None,
        columns: int | None = None,
    ) -> None:
        options: dict[str, Any] = dict(share=share, routine=routine, op=op, block_size=block_size, grid=grid, context=context)
        options |= dict(dtypes=dtypes, square=square, least_size=least_size, square_blocks=square_blocks)
        options |= dict(any_sources=any_sources, several_blocks=several_blocks, spans_grid=spans_grid)
        options |= dict(occupied=occupied, tall_grid=tall_grid, factorised=factorised, no_row_pair=no_row_pair)
        options |= dict(least_block=least_block, most_block=most_block, offset=offset, align=align, columns=columns)
        with joined_by(array, "dap_scalapack_get"):
            from . import _scalapack

            if part is not None:
                options["part"] = part_of(part, array.shape)
            options["aligned_with"] = getattr(aligned_with, "_handle", aligned_with)
        assert array._local is not None
        handle = _scalapack.Matrix.get(
            array._handle, array.layout, array._local, access, {n: v for n, v in options.items() if v is not None}
        )
        super().__init__(handle, "matrix", array.comm)
        self._array: ArrayBase | None = array

    @property
    def data(self) -> NDArray:
        """The local part of the complete matrix, as a column-major numpy array. It is read-only with access "r".

        Accessing `data` raises an error once the view has ended. The memory of numpy arrays that the program took from
        `data` earlier remains valid. For a shared view this memory is the array's buffer. For a view that is not
        shared, the memory is a copy that the library no longer reads.
        """
        if not self._handle.is_live:
            raise ArgumentError("the view of the matrix has ended")
        return np.asarray(self._handle)

    @property
    def desc(self) -> tuple[int, ...]:
        """The array descriptor: DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD."""
        return self._handle.desc

    @property
    def m(self) -> int:
        """Number of rows of the matrix, or of the requested sub-matrix."""
        return self._handle.m

    @property
    def n(self) -> int:
        """Number of columns of the matrix, or of the requested sub-matrix."""
        return self._handle.n

    @property
    def ia(self) -> int:
        """First row of the sub-matrix in the descriptor's matrix, counted from 1."""
        return self._handle.ia

    @property
    def ja(self) -> int:
        """First column of the sub-matrix in the descriptor's matrix, counted from 1."""
        return self._handle.ja

    @property
    def op(self) -> str:
        """The argument TRANS for computations with the array itself: "N", or "T" if the matrix is the transpose."""
        return self._handle.op

    @property
    def local_shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns of `data` on this process."""
        shape: tuple[int, ...] = self.data.shape
        return shape

    @property
    def data_pointer(self) -> ctypes.c_void_p:
        """Address of `data`, for calls with ctypes; NULL on processes outside the matrix's grid."""
        return ctypes.c_void_p(self._handle.address)

    @property
    def desc_pointer(self) -> ctypes.c_void_p:
        """Address of the descriptor, nine INTEGERs, for calls with ctypes; valid while the view lives."""
        return ctypes.c_void_p(self._handle.desc_address)

    def _dropped(self) -> None:
        self._array = None
