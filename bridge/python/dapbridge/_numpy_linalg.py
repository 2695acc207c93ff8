"""numpy.linalg's functions of distributed arrays: those of `dapbridge.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _decompositions, _factors, _general, _products, _singular, _systems
from ._dispatch import implements
from ._errors import UnsupportedError


@implements(np.linalg.det)
def det(a: Any) -> Any:
    return _systems.det(a)


@implements(np.linalg.slogdet)
def slogdet(a: Any) -> Any:
    return _systems.slogdet(a)


@implements(np.linalg.inv)
def inv(a: Any) -> Any:
    return _systems.inv(a)


@implements(np.linalg.pinv)
def pinv(a: Any, rcond: float = 1e-15) -> Any:
    return _singular.pinv(a, rcond)


@implements(np.linalg.cholesky)
def cholesky(a: Any) -> Any:
    return _decompositions.cholesky(a)


@implements(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    return _systems.solve(a, b)


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    return _systems.lstsq(a, b, rcond=None if rcond == "warn" else rcond)


@implements(np.linalg.cond)
def cond(x: Any, p: Any = None) -> Any:
    return _systems.cond(x, p)


@implements(np.linalg.matrix_rank)
def matrix_rank(A: Any, tol: float | None = None, hermitian: bool = False) -> Any:
    return _systems.matrix_rank(A, tol, hermitian)


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return _products.norm(x, ord, axis, keepdims)


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    return _factors.qr(a, mode)


@implements(np.linalg.eigh)
def eigh(a: Any, UPLO: str = "L") -> Any:
    return _factors.eigh(a, UPLO)


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return _factors.eigvalsh(a, UPLO)


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if full_matrices and compute_uv and a.shape[0] != a.shape[1]:
        raise UnsupportedError("numpy.linalg.svd(): full_matrices=False is needed for a distributed array")
    return _singular.svd(a, False, compute_uv)


@implements(np.linalg.eig)
def eig(a: Any) -> Any:
    return _general.eig(a)


@implements(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    return _general.eigvals(a)
