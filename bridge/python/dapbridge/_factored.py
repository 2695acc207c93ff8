"""Matrices that ScaLAPACK factors in place, and triangles of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core, _scalapack
from ._comms import agreed
from ._errors import ArgumentError
from ._moves import move
from ._operands import Frame, Operand
from .array import Array, Lazy


def side_of(frame: Frame, a: Any) -> int:
    """Returns the number of rows of a square matrix."""
    rows, columns = frame.extents(a)
    if rows != columns:
        raise ArgumentError(f"{frame.function}: the matrix is {rows} x {columns}, not square")
    return rows


def factorable(
    frame: Frame, a: Any, given: Operand, routine: str, overwrite: bool = False
) -> tuple[Operand, _scalapack.Use]:
    """Returns a matrix that `routine` can overwrite, either `a` or a copy, and its entry in a report. Collective."""
    may_overwrite = frame.comm.allreduce(overwrite and given.is_work, op=MPI.LAND)
    view = _view(frame, given, routine, {})
    reason = view.reason
    if view.shared and may_overwrite:
        view.discard()
        return given, ("A", True, 0, reason)
    if view.shared:  # a copy with the same blocks, to keep the values of the matrix
        options = {"block_size": view.desc[4], "share": "never"}
        view.discard()
        view, reason = _view(frame, given, routine, options), "to keep its values"
    use = "A", False, view.moved_bytes, reason
    try:
        return _copy_of(frame, view, a), use
    finally:
        view.discard()


def op_of(frame: Frame, matrix: Operand, routine: str) -> str:
    """Returns the op with which `routine` sees a matrix in place: "N", or "T" for the transpose. Collective."""
    view = _view(frame, matrix, routine, {"share": "required"})
    op = view.op
    view.discard()
    return op


def _view(frame: Frame, given: Operand, routine: str, options: dict[str, Any]) -> _scalapack.Matrix:
    options |= {"routine": routine, "factorised": True}
    return _scalapack.Matrix.get(frame.handle, *given.pair, "r", options)


def _copy_of(frame: Frame, view: _scalapack.Matrix, a: Any) -> Operand:
    """Copies the matrix of a view to a new array. A view of that array with these options is shared."""
    layout, moved = _scalapack.import_matrix(frame.handle, view.desc, np.asarray(view), view.op)
    order = "C" if view.op == "T" else "F"
    with frame.agreed():
        memory = _core.Local.make(layout, frame.rank, frame.dtype.name, order)
        moved.copy_to(memory)
    return frame.of_memory(layout, memory, a)


def take_triangle(source: Array | Lazy, is_lower: bool, target: Array) -> None:
    """Moves a triangle of a matrix to an array, and sets the array's other triangle to 0. Collective."""
    move(source, target, fill_halos=True)
    with agreed(target.comm, "linalg: triangle"):
        rows, columns = np.ix_(*target.indices())
        target.local[rows < columns if is_lower else rows > columns] = 0


def is_diagonal(matrix: Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Returns a mask of the elements of this process's part that are on the diagonal. Not collective."""
    rows, columns = np.ix_(*matrix.indices())
    return np.asarray(rows == columns)


def diagonal_of(matrix: Array) -> np.ndarray[Any, np.dtype[Any]]:
    """Returns this process's elements of the diagonal. Not collective."""
    of_rows, of_columns = matrix.indices()
    _, rows, columns = np.intersect1d(of_rows, of_columns, assume_unique=True, return_indices=True)
    return np.asarray(matrix.local[rows, columns])
