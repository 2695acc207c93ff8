"""Makes matrices of known elements, the same on every process."""

import numpy as np

TYPES = (np.float32, np.float64, np.complex64, np.complex128)


def tolerance(dtype):
    return 2e-3 if np.dtype(dtype).char in "fF" else 1e-9


def random(shape, dtype=np.float64, seed=1):
    generator = np.random.default_rng(seed)
    values = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.uniform(-1, 1, shape)
    return values.astype(dtype)


def regular(n, dtype=np.float64, seed=1):
    return random((n, n), dtype, seed) + 3 * np.eye(n, dtype=dtype)


def hermitian(n, dtype=np.float64, seed=1):
    a = random((n, n), dtype, seed)
    return a + a.conj().T


def positive(n, dtype=np.float64, seed=1):
    a = random((n, n), dtype, seed)
    return a @ a.conj().T + n * np.eye(n, dtype=dtype)


def lower(a):
    """Returns the lower triangle, with values above it that no function may read."""
    return np.tril(a) + np.triu(np.full_like(a, 77), 1)


def upper(a):
    return np.triu(a) + np.tril(np.full_like(a, 77), -1)
