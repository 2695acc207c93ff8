"""Views as matrices of ScaLAPACK."""

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
    """An array, or two axes of one, as a column-major block-cyclic matrix of ScaLAPACK.

    ``a.scalapack(...)`` makes one; collective on ``a.comm``. Where ScaLAPACK can use the array's buffer as it is,
    the view is shared: it is that buffer (in C order as the transposed matrix, `op` "T"). Else its elements are
    moved to a block-cyclic copy, and back by `restore`.

    Call ScaLAPACK with `data`, `desc`, `ia`, `ja` and, for TRANS, `op`; by ctypes with `data_pointer` and
    `desc_pointer`. A process outside the matrix's grid has the context ``desc[1] == -1`` and must not call
    ScaLAPACK. BLACS and ScaLAPACK are not thread-safe, so neither are these views.

    Parameters
    ----------
    array : Array
        Its elements are float32, float64, complex64, complex128, or ScaLAPACK's integers.
    routine : str, optional
        The routine to be called, "pdsyevd" or "syevd": the view meets its requirements.
    access : {"rw", "r", "w"}
        A moved view begins with the array's elements ("r") or with zeros ("w"), and is written back with "w".
    share : {"if-possible", "required", "never"}
        "required": raises ShareError with the reason if the view would be a copy.
    op : {"N", "T"}, optional
        Required: matrix element (i, j) is array element (i, j), or (j, i). None: the one that allows sharing.
    part : index expression, optional
        A sub-matrix, or a plane of an array of more axes: ``np.s_[:, i, 2:8]``. None: all of two axes, one axis
        as a column, or the last two at index 0 of the others.
    block_size : int or two, optional
        Block sizes of a moved view, for the array's two axes.
    grid : two int, optional
        Processes of a moved view along the array's two axes, at most all.
    aligned_with : ScalapackMatrix, optional
        Another live view that is passed to the same call: this one gets its grid, context and block sizes.
    context : int, optional
        Your own BLACS context, whose grid the view gets; -1 on processes outside it.
    dtypes, square, least_size, square_blocks, any_sources, several_blocks, spans_grid, occupied, tall_grid, \
    factorised, no_row_pair, least_block, most_block, offset, align
        Requirements besides the routine's. `dtypes`: names of allowed element types. `square`: as many rows as columns.
        `least_size`: least number of rows and columns. `square_blocks`: blocks are square. `any_sources`: the first
        block may be on any process. `several_blocks`: on several processes there is more than one block of columns.
        `spans_grid`: there are at least as many rows or columns as processes. `occupied`: each process row and column
        has a block. `tall_grid`: a square moved matrix has at least as many process rows as process columns.
        `factorised`: the matrix is moved if its blocks make factorisations slow. `no_row_pair`: on several processes it
        is not 1 x 2. `least_block`, `most_block`: bounds of block sizes. `offset`: a sub-matrix begins at the first
        element ("none"), at a block ("block") or anywhere ("any"). `align`: how the matrix is aligned with the first
        one of the call: "grid", "rows", "longer", "same" or "leading".
    columns : int, optional
        Columns of the matrix, if they are more than the array's.

    Raises
    ------
    ShareError
        `share` is "required", and the view would be a copy.
    ArgumentError, ArrayBufferError, UnsupportedError, OverflowError
        There is no such view; the same on every process.

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
        """The local part of the whole matrix, column-major: a numpy view, read-only with access "r".

        Once the view has ended this raises. Arrays taken from it before stay valid memory: of a shared view the
        array's own buffer, of a moved one a copy that nothing reads any more.
        """
        if not self._handle.is_live:
            raise ArgumentError("the view of the matrix has ended")
        return np.asarray(self._handle)

    @property
    def desc(self) -> tuple[int, ...]:
        """The descriptor: DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD."""
        return self._handle.desc

    @property
    def m(self) -> int:
        """Rows of the matrix, or of the sub-matrix that was asked for."""
        return self._handle.m

    @property
    def n(self) -> int:
        """Columns."""
        return self._handle.n

    @property
    def ia(self) -> int:
        """First row of the sub-matrix in the descriptor's matrix, counted from 1."""
        return self._handle.ia

    @property
    def ja(self) -> int:
        """First column."""
        return self._handle.ja

    @property
    def op(self) -> str:
        """What to pass as TRANS to compute with the array itself: "N", or "T" for the transposed matrix."""
        return self._handle.op

    @property
    def local_shape(self) -> tuple[int, ...]:
        """Rows and columns of `data` on this process."""
        shape: tuple[int, ...] = self.data.shape
        return shape

    @property
    def data_pointer(self) -> ctypes.c_void_p:
        """The address of `data`, for a call by ctypes; NULL outside the matrix's grid."""
        return ctypes.c_void_p(self._handle.address)

    @property
    def desc_pointer(self) -> ctypes.c_void_p:
        """The address of the descriptor, nine INTEGERs, for a call by ctypes. It is valid while the view lives."""
        return ctypes.c_void_p(self._handle.desc_address)

    def _dropped(self) -> None:
        self._array = None
