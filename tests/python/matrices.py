"""Matrices of known elements in many layouts, and comparison with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

import dapbridge as db

TYPES = (np.float32, np.float64, np.complex64, np.complex128)


def tolerance(dtype: Any) -> float:
    return 2e-3 if np.dtype(dtype).char in "fF" else 1e-9


def random(shape: tuple[int, ...], dtype: Any = np.float64, seed: int = 1) -> np.ndarray:
    """The same on every process."""
    generator = np.random.default_rng(seed)
    values = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.uniform(-1, 1, shape)
    return values.astype(dtype)


def regular(n: int, dtype: Any = np.float64, seed: int = 1) -> np.ndarray:
    return random((n, n), dtype, seed) + 3 * np.eye(n, dtype=dtype)


def hermitian(n: int, dtype: Any = np.float64, seed: int = 1) -> np.ndarray:
    a = random((n, n), dtype, seed)
    return a + a.conj().T


def positive(n: int, dtype: Any = np.float64, seed: int = 1) -> np.ndarray:
    a = random((n, n), dtype, seed)
    return a @ a.conj().T + n * np.eye(n, dtype=dtype)


def _lists(size: int, procs: int, seed: int) -> list[np.ndarray]:
    order = np.random.default_rng(seed).permutation(size)
    return [order[c::procs] for c in range(procs)]


def _uneven(size: int, procs: int) -> list[int]:
    """One process without elements, if there are several."""
    if procs == 1:
        return [size]
    first = size // 3
    return [first] + [0] * (procs - 2) + [size - first]


#: dist, grid and order of a matrix of this shape, by name
LAYOUTS = {
    "row slabs": lambda s, p: (["block", "local"], (p, 1), "C"),
    "column slabs": lambda s, p: (["local", "block"], (1, p), "C"),
    "row slabs in F order": lambda s, p: (["block", "local"], (p, 1), "F"),
    "blocks": lambda s, p: (["block", "block"], _grid(p), "C"),
    "blocks in F order": lambda s, p: (["block", "block"], _grid(p)[::-1], "F"),
    "uneven": lambda s, p: ([db.block(_uneven(s[0], p)), "local"], (p, 1), "C"),
    "uneven columns": lambda s, p: (["local", db.block(_uneven(s[1], p))], (1, p), "F"),
    "cyclic": lambda s, p: ([db.cyclic(3), db.cyclic(2)], _grid(p), "C"),
    "square blocks": lambda s, p: ([db.cyclic(2), db.cyclic(2)], _grid(p), "F"),
    "cyclic, not from 0": lambda s, p: (
        [db.cyclic(2, _grid(p)[0] - 1), db.cyclic(2, _grid(p)[1] - 1)],
        _grid(p),
        "C",
    ),
    "padded": lambda s, p: ([db.padded(1), "local"], (p, 1), "C"),
    "unstructured": lambda s, p: ([db.unstructured(_lists(s[0], p, 3)), "local"], (p, 1), "C"),
    "replicated": lambda s, p: (["replicated", "local"], (p, 1), "C"),
}


#: (layout, element type): every type, and layouts that are shared, moved, padded, listed and copied. Each function's
#: algorithm is tested in C with all pairs of them.
SAMPLE = [
    ("row slabs", np.float64),
    ("blocks in F order", np.float32),
    ("cyclic", np.complex128),
    ("square blocks", np.complex64),
    ("padded", np.float64),
    ("unstructured", np.complex128),
    ("replicated", np.float64),
]


def _grid(procs: int) -> tuple[int, int]:
    return {1: (1, 1), 2: (2, 1), 3: (1, 3), 4: (2, 2), 6: (3, 2)}[procs]


def distributed(comm: Any, values: np.ndarray, name: str = "row slabs") -> Any:
    """An array of these elements, by the name of a layout; a vector is laid out as the rows of a matrix."""
    dist, grid, order = LAYOUTS[name]((*values.shape, 1)[:2], comm.size)
    if values.ndim == 1:
        dist, grid = (dist[:1], grid[:1]) if grid[0] == comm.size else (["block"], (comm.size,))
    a = db.zeros(values.shape, comm, dist, grid=grid, dtype=values.dtype, order=order)
    fill(a, values)
    return a


def fill(a: Any, values: np.ndarray) -> None:
    a.local[...] = values[np.ix_(*a.indices())]


def check(a: Any, expected: np.ndarray, tolerance: float = 1e-9) -> None:
    """Compares each element that this process owns, and each copy on axes that are unstructured or replicated."""
    assert a.shape == expected.shape
    assert a.dtype == expected.dtype
    positions = [
        np.arange(len(own)) if a.layout.axis(k)["dist_type"] == "u" else place
        for k, (own, place) in enumerate(zip(a.indices(), a.owned_positions()))
    ]
    indices = [own[place] for own, place in zip(a.indices(), positions)]
    found, wanted = a.local[np.ix_(*positions)], expected[np.ix_(*indices)]
    if tolerance == 0:  # assert_allclose() rounds integers to float64
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def whole(a: Any) -> np.ndarray:
    """All elements, on every process."""
    result = a.gather()
    assert result is not None
    return np.asarray(result)
