"""Products and norms of matrices."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from . import _scalapack
from ._dispatch import implements
from ._errors import ArgumentError
from ._integer_products import (
    as_matrix,
    converted,
    fits_in_floats,
    integer_dot,
    integer_product,
    integer_type,
    uses_of,
)
from ._norms import norm_by_sums
from ._operands import Frame, Matrix, Report, fill_report, plain
from ._product_layouts import layout_of_product
from ._singular import svdvals
from .array import Array


@implements(np.matmul, is_own=True)
def matmul(a: Matrix, b: Matrix, *, report: Report | None = None) -> Any:
    """Multiplies two matrices, a matrix and a vector, or two vectors, as ``a @ b`` does. Collective.

    Lazy views such as ``a.T`` and ``a.T.conj()`` need no extra copy. The product of integer matrices contains integers,
    as in numpy. An integer product is exact, except that overflow wraps around. If sums in the product can exceed 2^53,
    numpy computes the product, which takes longer than with ScaLAPACK.

    Parameters
    ----------
    a : (m, k) or (k,)
        The left factor.
    b : (k, n) or (k,)
        The right factor.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array
        The product, on the process grid of a, whether a is transposed or not. Its rows are distributed like the rows of
        a, and its columns like the columns of b, without padding and ghosts. Unstructured axes keep their lists of
        indices. An axis is distributed in blocks if the grid of a has another number of processes along it than the
        operand's grid. On a grid with two axes, an unstructured axis is also distributed in blocks if it would be along
        the other axis of the grid. The product of two vectors is a number.

    Examples
    --------
    >>> a = dapbridge.from_global(np.arange(6.0).reshape(2, 3), MPI.COMM_SELF)
    >>> (a @ a.T).gather()
    array([[ 5., 14.],
           [14., 50.]])
    """
    a, trans_a = plain(a, "NTC")
    b, trans_b = plain(b, "NTC" if a.ndim > 1 else "NT")
    frame = Frame("linalg.matmul()", a, b)
    with frame.agreed():
        frame.check(a, b, report=report)
        if a.ndim not in (1, 2) or b.ndim not in (1, 2):
            raise ArgumentError(f"{frame.function}: {a.ndim} and {b.ndim} axes; only 1 and 2 are possible")
        if isinstance(a, Array):
            frame.check_rows(b, a.shape[-1 if trans_a == "N" else 0])
    kind = integer_type(a, b)
    if kind is None:
        return _product(frame, a, trans_a, b, trans_b, report)
    if fits_in_floats(a, b, a.shape[-1 if trans_a == "N" else 0]):
        return converted(_product(frame, a, trans_a, b, trans_b, report), kind)
    return _of_integers(frame, a, trans_a, b, trans_b, kind, report)


def _product(frame: Frame, a: Any, trans_a: str, b: Any, trans_b: str, report: Report | None) -> Any:
    """Computes op(a) op(b) with ScaLAPACK."""
    a, trans_a, b, trans_b = _vector_last(a, trans_a, b, trans_b)
    layout = layout_of_product(frame, a, trans_a, b, trans_b) if a.ndim == 2 else None
    with frame.agreed():
        left, right = frame.operand(a), frame.operand(b)
        if layout is None:
            trans_a = "T"
            product = frame.numbers((1, 1))
        else:
            product = frame.new(layout, left.local, frame.first)
    uses = _scalapack.multiply(
        frame.handle, trans_a, trans_b, 1, left.pair, right.pair, 0, product.pair, {}
    )
    fill_report(report, uses)
    return product.value[0, 0] if a.ndim == 1 else product.value


def _of_integers(
    frame: Frame, a: Any, trans_a: str, b: Any, trans_b: str, kind: np.dtype[Any], report: Report | None
) -> Any:
    """Computes op(a) op(b) with numpy."""
    frame.dtype = kind
    fill_report(report, uses_of(a, b))
    if a.ndim == b.ndim == 1:
        return integer_dot(a, b, kind)
    product = integer_product(frame, as_matrix(a, trans_a, True), as_matrix(b, trans_b, False))
    layout = layout_of_product(frame, *_vector_last(a, trans_a, b, trans_b))
    if layout == product.layout:
        return product
    with frame.agreed():
        result = frame.new(layout).array
    if a.ndim != b.ndim:
        product = product[:, 0] if a.ndim == 2 else product[0]
    return product.redistribute(out=result)


def _vector_last(a: Any, trans_a: str, b: Any, trans_b: str) -> tuple[Any, str, Any, str]:
    """Swaps the factors if a is a vector, because a vector times op(b) equals op(b).T times the vector."""
    if a.ndim == 1 and b.ndim == 2:
        return b, "T" if trans_b == "N" else "N", a, "N"
    return a, trans_a, b, trans_b


def norm(
    x: Matrix, ord: Any = None, axis: Any = None, keepdims: bool = False, *, report: Report | None = None
) -> Any:
    """Computes a norm of a matrix or a vector. Collective.

    Parameters
    ----------
    x : (m, n) or (n,)
        The matrix or vector. With `axis`, `x` may have any number of axes.
    ord : {None, "fro", "nuc", inf, -inf, 1, -1, 2, -2} or any number
        The norm, as in numpy. None means the Frobenius norm of a matrix, or the 2-norm of a vector. Any other number is
        allowed only for vectors.
    axis : int, optional
        If given, the function computes the norm of each vector along this axis. The result is an array with the
        remaining axes, as for `Array.sum`.
    keepdims : bool
        True if the result keeps `axis`, with one element.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[3.0, 0], [4, 1]]), MPI.COMM_SELF)
    >>> print(dapbridge.linalg.norm(a[:, 0]))
    5.0
    >>> dapbridge.linalg.norm(a, axis=0).gather()
    array([5., 1.])
    """
    given, _ = plain(x)
    frame = Frame("linalg.norm()", given)
    matrix = given[:, None] if given.ndim == 1 else given  # collective
    with frame.agreed():
        frame.check(given, report=report)
        if not isinstance(ord, Hashable):
            raise TypeError(f"norm: ord is {ord!r}, not None, a word or a number")
        letter = _letter_of(ord, given.ndim) if axis is None and not keepdims else _reduced(ord, given.ndim, axis)
        operand = frame.operand(matrix) if letter in ("F", "1", "I") else None
    if operand is not None:
        value, uses = _scalapack.norm(frame.handle, letter, operand.pair, {})
        fill_report(report, uses)
        return frame.real.type(value)
    if letter == "reduced":
        return norm_by_sums(given, frame.dtype, ord, axis, keepdims)
    s = svdvals(given, report=report)
    if ord == "nuc":
        return s.sum()
    return s[0 if ord == 2 else -1] if len(s) else s.sum()


def _letter_of(ord: Any, ndim: int) -> str:
    """Returns ScaLAPACK's name of a norm, "values" for singular values, or "reduced" for sums, minima and maxima."""
    letters: dict[Any, str] = {None: "F", 1: "1", np.inf: "I"}
    by_values = dict.fromkeys((2, -2, "nuc"), "values")
    letters.update({"fro": "F", -1: "reduced", -np.inf: "reduced", **by_values} if ndim == 2 else {2: "F"})
    if ndim not in (1, 2) and ord is None or ndim == 1 and isinstance(ord, (int, float)):
        return letters.get(ord, "reduced") if ndim == 1 else "reduced"
    if ndim not in (1, 2) or ord not in letters:
        what = {1: "vector", 2: "matrix"}.get(ndim, f"array of {ndim} axes")
        raise ArgumentError(f"norm: ord {ord!r} of a {what} is not supported: {', '.join(map(repr, letters))}")
    return letters[ord]


def _reduced(ord: Any, ndim: int, axis: Any) -> str:
    """Checks that a norm along an axis, or with `keepdims`, is a norm of vectors."""
    if axis is not None and not hasattr(axis, "__index__"):
        raise ArgumentError(f"norm: axis {axis!r} is not one axis; norms of matrices are of arrays of two axes")
    if isinstance(ord, str) or axis is None and ndim == 2 and ord is not None:
        raise ArgumentError(f"norm: ord {ord!r} is not a norm of vectors")
    return "reduced"
