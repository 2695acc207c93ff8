"""Checks that the sweeps of bridge/docs/halos.md give the values of one process without a halo, and that arrays of
numpy get their padding."""
import numpy as np


def check(page):
    rows, columns = np.arange(page["n"])[:, None], np.arange(page["n"])
    v = 0.1 * rows * rows + columns
    for _ in range(10):
        v[1:-1, 1:-1] = (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:]) / 4
    assert np.allclose(page["u"].gather(), v)
    w, mine = page["w"], page["mine"]
    row, column = (15 * k for k in w.layout.coords(w.rank))
    assert np.shares_memory(w.local, mine)
    assert np.array_equal(mine, w.gather()[row : row + 17, column : column + 17])
