"""Triangular matrices, and products of a matrix with itself."""

from __future__ import annotations

from typing import Any, Union, overload

import numpy as np

from . import _scalapack
from ._errors import ArgumentError
from ._integers import number
from ._operands import Frame, Matrix, NDArray, Report, fill_report, plain
from .array import Array, Lazy

Trans = Union[int, str]


@overload
def solve_triangular(
    a: Matrix,
    b: Array | Lazy,
    trans: Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array: ...
@overload
def solve_triangular(
    a: Matrix,
    b: NDArray,
    trans: Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
def solve_triangular(
    a: Matrix,
    b: Matrix,
    trans: Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array | NDArray:
    """Solves ``a @ x = b`` for a triangular matrix. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix. Only one triangle is read. The lazy views ``a.T`` and ``a.T.conj()`` need no extra copy.
    b : (n,) or (n, k)
        The right-hand sides.
    trans : {0, 1, 2, "N", "T", "C"}
        1 or "T" solves ``a.T @ x = b``, and 2 or "C" solves ``a.T.conj() @ x = b``.
    lower : bool
        True if the lower triangle is read.
    unit_diagonal : bool
        True if the diagonal elements are assumed to be 1, and are not read.
    overwrite_b : bool
        True if `b` may be used for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The solution, with the layout of b. With `overwrite_b`, the solution is `b` itself if possible.

    Raises
    ------
    LinAlgError
        An element of the diagonal is 0.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 9], [1, 4]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.solve_triangular(a, np.array([2.0, 9]), lower=True)
    array([1., 2.])
    """
    letter = letter_of(trans)
    a, stored = plain(a, ALLOWED.get(letter, "N"))
    b, _ = plain(b)
    if stored != "N":  # a triangle of a.T is stored as the other triangle
        lower = not lower
        letter = stored if letter == "N" else "N"
    frame = Frame("linalg.solve_triangular()", a, b)
    with frame.agreed():
        check_trans(letter, trans, frame.function)
        frame.check(a, b, report=report)
        frame.check_rows(b, frame.extents(a)[0])
        matrix, x = frame.operand(a), frame.work(b, overwrite_b)
    uplo, diag = "L" if lower else "U", "U" if unit_diagonal else "N"
    uses = _scalapack.triangular_solve(
        frame.handle, "L", uplo, letter, diag, 1, matrix.pair, x.pair, {}
    )
    fill_report(report, uses)
    return x.result


@overload
def multiply_triangular(
    a: Matrix,
    b: Array | Lazy,
    trans: Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    side: str = "L",
    alpha: complex = 1,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array: ...
@overload
def multiply_triangular(
    a: Matrix,
    b: NDArray,
    trans: Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    side: str = "L",
    alpha: complex = 1,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
def multiply_triangular(
    a: Matrix,
    b: Matrix,
    trans: Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    *,
    side: str = "L",
    alpha: complex = 1,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array | NDArray:
    """Computes ``alpha * a @ b`` with a triangular matrix `a`, using BLAS's trmm. Collective.

    Parameters
    ----------
    a : (m, m), or (n, n) with `side` "R"
        The matrix. Only one triangle is read. The lazy views ``a.T`` and ``a.T.conj()`` need no extra copy.
    b : (m,) or (m, n)
        The other factor.
    trans : {0, 1, 2, "N", "T", "C"}
        1 or "T" uses ``a.T`` instead of a, and 2 or "C" uses ``a.T.conj()``.
    lower : bool
        True if the lower triangle is read.
    unit_diagonal : bool
        True if the diagonal elements are assumed to be 1, and are not read.
    side : {"L", "R"}
        The side on which `a` stands: "L" computes ``alpha * a @ b``, and "R" computes ``alpha * b @ a``.
    alpha : number
        The factor. It can be complex only if the matrices are complex.
    overwrite_b : bool
        True if `b` may be used for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The product, with the layout of b. With `overwrite_b`, the product is `b` itself if possible.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 9], [1, 4]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.multiply_triangular(a, np.array([1.0, 2]), lower=True)
    array([2., 9.])
    """
    letter = letter_of(trans)
    a, stored = plain(a, ALLOWED.get(letter, "N"))
    b, _ = plain(b)
    if stored != "N":
        lower = not lower
        letter = stored if letter == "N" else "N"
    frame = Frame("linalg.multiply_triangular()", a, b)
    with frame.agreed():
        check_trans(letter, trans, frame.function)
        if side not in ("L", "R"):
            raise ArgumentError(f"{frame.function}: side is {side!r}, not 'L' or 'R'")
        factor = number(alpha, "alpha")
        frame.check(a, b, report=report)
        matrix, product = frame.operand(a), frame.work(b, overwrite_b)
    uplo, diag = "L" if lower else "U", "U" if unit_diagonal else "N"
    uses = _scalapack.triangular_multiply(
        frame.handle, side, uplo, letter, diag, factor, matrix.pair, product.pair, {}
    )
    fill_report(report, uses)
    return product.result


def rank_k(
    a: Matrix,
    *,
    transposed: bool = False,
    hermitian: bool = True,
    alpha: complex = 1,
    beta: complex = 0,
    c: Matrix | None = None,
    lower: bool | None = None,
    overwrite_c: bool = False,
    report: Report | None = None,
) -> Any:
    """Computes ``alpha * a @ a.T.conj() + beta * c`` with BLAS's herk and syrk. Collective.

    The function needs half as many operations as `matmul`.

    Parameters
    ----------
    a : (n, k); (k, n) with `transposed`
        The matrix. The lazy view ``a.T.conj()`` needs no extra copy, and neither does ``a.T`` if the matrix is real or
        `hermitian` is False.
    transposed : bool
        If True, the function computes ``a.T.conj() @ a`` instead of ``a @ a.T.conj()``.
    hermitian : bool
        If False, the function uses ``a.T`` instead of ``a.T.conj()``, so that the product of complex matrices is
        symmetric.
    alpha, beta : number
        The factors. They can be complex only for complex matrices with ``hermitian=False``.
    c : (n, n), optional
        The matrix that is added. Only one triangle is read: the upper one if `lower` is False, otherwise the lower one.
        None means that nothing is added.
    lower : bool, optional
        The triangle that is computed: the lower one if True, the upper one if False, and both if None. A triangle that
        is not computed contains the elements of c, or 0 without c.
    overwrite_c : bool
        True if `c` may be used for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `c` is one
        The product (n, n), with the layout of c. With `overwrite_c`, the product is `c` itself if possible. Without c,
        the product is on the process grid of a.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1.0, 2], [0, 3]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.rank_k(a).gather()
    array([[5., 6.],
           [6., 9.]])
    >>> dapbridge.linalg.rank_k(a, lower=True, alpha=2).gather()
    array([[10.,  0.],
           [12., 18.]])
    """
    is_complex = isinstance(a, (Array, Lazy, np.ndarray)) and a.dtype.kind == "c"
    a, stored = plain(a, "NTC" if not is_complex else "NC" if hermitian else "NT")
    given = () if c is None else (plain(c)[0],)
    frame = Frame("linalg.rank_k()", a, *given)
    with frame.agreed():
        factors = number(alpha, "alpha"), number(beta, "beta")
        frame.check(a, *given, report=report)
        is_turned = bool(transposed) != (stored != "N")
        size = frame.extents(a)[1 if is_turned else 0]
        matrix = frame.operand(a)
        product = frame.work(given[0], overwrite_c) if given else frame.new_like(a, (size, size))
    form, trans = "H" if hermitian else "S", "T" if is_turned else "N"
    uplo = "A" if lower is None else "L" if lower else "U"
    uses = _scalapack.rank_k(
        frame.handle, form, uplo, trans, factors[0], matrix.pair, factors[1], product.pair, {}
    )
    fill_report(report, uses)
    return product.value


_LETTERS: dict[Any, str] = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}
#: For each TRANS, the lazy views that need no copy.
ALLOWED = {"N": "NTC", "T": "NT", "C": "NC"}


def letter_of(trans: Trans) -> str:
    """Returns the letter of TRANS for a letter or one of scipy's numbers, or "?" for any other value."""
    return _LETTERS.get(trans, "?") if isinstance(trans, (int, str)) else "?"


def check_trans(letter: str, trans: Trans, function: str) -> None:
    if letter == "?":
        raise ArgumentError(f"{function}: trans is {trans!r}, not one of 0, 1, 2, 'N', 'T', 'C'")
