"""The functions of numpy.linalg for distributed arrays, implemented by `dapbridge.linalg`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from . import _conditions, _decompositions, _factors, _general, _pinv, _powers, _products, _singular, _systems
from ._dispatch import implements

_implements = partial(implements, is_own=True)


@_implements(np.linalg.det)
def det(a: Any) -> Any:
    return _systems.det(a)


@_implements(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    return _systems.slogdet(a)


@_implements(np.linalg.inv)
def inv(a: Any) -> Any:
    return _systems.inv(a)


@_implements(np.linalg.pinv)
def pinv(a: Any, rcond: float | None = None, hermitian: bool = False, *, rtol: float | None = None) -> Any:
    return _pinv.pinv(a, rcond, hermitian, rtol=rtol)


@_implements(np.linalg.cholesky)
def cholesky(a: Any) -> Any:
    return _decompositions.cholesky(a)


@_implements(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    return _systems.solve(a, b)


@_implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    return _systems.lstsq(a, b, rcond=None if rcond == "warn" else rcond)


@_implements(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    return _conditions.cond(x, p)


@_implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: int) -> Any:
    return _powers.matrix_power(a, n)


@_implements(np.linalg.matrix_rank)
def matrix_rank(A: Any, tol: float | None = None, hermitian: bool = False) -> Any:
    return _conditions.matrix_rank(A, tol, hermitian)


@_implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return _products.norm(x, ord, axis, keepdims)


@_implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    return _factors.qr(a, mode)


@_implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    return _factors.eigh(a, UPLO)


@_implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return _factors.eigvalsh(a, UPLO)


@_implements(np.linalg.svd, check=_singular.check_vectors, is_compared=True)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    return _singular.svd(a, full_matrices, compute_uv)


@_implements(np.linalg.eig)
def eig(a: Any) -> Any:
    return _general.eig(a)


@_implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    return _general.eigvals(a)
