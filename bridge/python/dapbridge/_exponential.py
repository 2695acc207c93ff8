"""The exponential function of a matrix."""

from __future__ import annotations

import math
from typing import Any

from . import _scalapack
from ._errors import LinAlgError
from ._factored import factorable, is_diagonal, side_of
from ._moves import move
from ._operands import Frame, Matrix, Operand, Report, fill_report, plain
from ._products import norm
from .array import Array

#: The Pade approximant of degree 13 is exact to rounding in float64 for matrices up to this norm. Source: N. J. Higham,
#: "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26 (2005).
_LARGEST_NORM = 5.371920351148152
_COEFFICIENTS = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)


def expm(a: Matrix, *, report: Report | None = None) -> Array:
    """Computes the exponential function of a matrix by scaling and squaring. Collective.

    The computation needs about seven matrix products and the solution of one system.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array
        The result, with the layout of a.

    Raises
    ------
    LinAlgError
        `a` contains NaN, infinity, or elements that are too large to be scaled.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 1], [0, 0]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.expm(a).gather()
    array([[1., 1.],
           [0., 1.]])
    """
    given, _ = plain(a)
    frame = Frame("linalg.expm()", given)
    with frame.agreed():
        frame.check(given, report=report)
        size = side_of(frame, given)
        matrix = frame.operand(given)
        result = frame.new_like(given, (size, size))
    if size == 0:
        return result.array
    length = float(norm(given, 1))
    if not math.isfinite(length):
        raise LinAlgError(f"{frame.function}: the matrix has NaN or infinity, or its norm overflows")
    x, use = factorable(frame, given, matrix, "getrf")
    fill_report(report, [use])
    squarings = max(0, math.ceil(math.log2(length / _LARGEST_NORM))) if length > 0 else 0
    x.array.local[...] *= 2.0**-squarings
    power = _approximant(frame, x)
    for _ in range(squarings):
        power = _product(frame, power, power)
    move(power.array, result.array, fill_halos=True)
    return result.array


def _approximant(frame: Frame, x: Operand) -> Operand:
    """Computes (V - U)^-1 (V + U), where V has the even terms of the numerator, and U has the odd terms."""
    x2 = _product(frame, x, x)
    x4 = _product(frame, x2, x2)
    x6 = _product(frame, x4, x2)
    powers = x2, x4, x6
    c = _COEFFICIENTS
    even, odd = _combination(frame, powers, c[0:7:2]), _combination(frame, powers, c[1:8:2])
    _product(frame, x6, _combination(frame, powers, (0, *c[8:13:2])), even)
    _product(frame, x6, _combination(frame, powers, (0, *c[9:14:2])), odd)
    u = _product(frame, x, odd)
    with frame.agreed():
        difference = even.array.local - u.array.local
        u.array.local[...] += even.array.local
        even.array.local[...] = difference
    _scalapack.solve(frame.handle, "N", even.pair, u.pair, {"keep": False})
    return u


def _product(frame: Frame, a: Operand, b: Operand, c: Operand | None = None) -> Operand:
    """Adds ``a @ b`` to `c`. The three matrices have the same layout."""
    with frame.agreed():
        beta, result = (0, frame.new(a.layout, a.local, a.value)) if c is None else (1, c)
    _scalapack.multiply(frame.handle, "N", "N", 1, a.pair, b.pair, beta, result.pair, {})
    return result


def _combination(frame: Frame, matrices: tuple[Operand, ...], factors: Any) -> Operand:
    """Computes ``factors[0] * identity + factors[1] * matrices[0] + ...``."""
    with frame.agreed():
        result = frame.new(matrices[0].layout, matrices[0].local, matrices[0].value)
        local = result.array.local
        for matrix, factor in zip(matrices, factors[1:]):
            local += factor * matrix.array.local
        local[is_diagonal(result.array)] += factors[0]
    return result
