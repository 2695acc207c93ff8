"""Norms that ScaLAPACK does not have: norms along an axis, and norms from the smallest sum or element."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._reductions import max_, min_, sum_


def norm_by_sums(x: Any, dtype: np.dtype[Any], ord: Any, axis: int | None, keepdims: bool) -> Any:
    """Computes a norm of vectors along an axis or of all elements, or the norm -1 or -inf of a matrix.

    Collective.
    """
    if x.dtype != dtype:
        x = x.astype(dtype).copy()
    if axis is None and x.ndim == 2 and ord is not None:
        return min_(sum_(abs(x), 0 if ord == -1 else 1))
    return _vector_norm(x, ord, axis, keepdims)


def _vector_norm(x: Any, ord: Any, axis: int | None, keepdims: bool) -> Any:
    size = abs(x)
    if ord == np.inf:
        return max_(size, axis, keepdims=keepdims)
    if ord == -np.inf:
        return min_(size, axis, keepdims=keepdims)
    if ord == 0:
        return sum_(x != 0, axis, size.dtype, keepdims=keepdims)
    if ord is None or ord == 2:
        return np.sqrt(sum_(size * size, axis, keepdims=keepdims))
    return sum_(size**ord, axis, keepdims=keepdims) ** size.dtype.type(1 / ord)
