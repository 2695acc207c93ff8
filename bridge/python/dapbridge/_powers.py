"""Powers of a matrix."""

from __future__ import annotations

from typing import Any

from ._comms import agree_equal
from ._factored import is_diagonal, side_of
from ._integers import integer
from ._moves import move
from ._operands import Frame, Matrix, Report, plain
from ._products import matmul
from ._systems import inv
from .array import Array
from .make import like


def matrix_power(a: Matrix, n: int, *, report: Report | None = None) -> Array:
    """Raises a matrix to the power `n` with about log2(n) products. Collective.

    Parameters
    ----------
    a : (m, m)
        The matrix. Integers stay integers, unless `n` is negative.
    n : int
        The exponent. 0 returns the identity. A negative exponent uses the inverse of `a`.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array
        The power, with the layout of a.

    Raises
    ------
    LinAlgError
        `a` is singular, and `n` is negative.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1, 1], [1, 0]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.matrix_power(a, 80).gather()[0, 1]
    23416728348467685
    """
    given, _ = plain(a)
    frame = Frame("linalg.matrix_power()", given)
    with frame.agreed():
        frame.check(given, report=report)
        side_of(frame, given)
        power = integer(n, "n")
    agree_equal(frame.comm, frame.function, "n", power)
    if power == 0:
        return _identity(frame, given)
    base = inv(given, report=report) if power < 0 else given
    found = _powered(base, abs(power), report)
    result = like(given, found.dtype)
    move(found, result, fill_halos=True)
    return result


def _powered(base: Any, power: int, report: Report | None) -> Array:
    """Multiplies the repeated squares for which the power's bits are set."""
    found: Any = None
    while power:
        if power % 2:
            found = base if found is None else matmul(found, base, report=report)
        power //= 2
        base = matmul(base, base, report=report) if power else base
    array: Array = found
    return array


def _identity(frame: Frame, given: Array) -> Array:
    result = like(given)
    with frame.agreed():
        result.local[is_diagonal(result)] = 1
    return result
