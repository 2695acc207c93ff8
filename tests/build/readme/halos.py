"""Checks that the sweeps of the programs in bridge/docs/halos.md give the values of one process without a halo, and
that the second program works in its own numpy array."""
import numpy as np
from mpi4py import MPI


def sweep(v):
    for _ in range(10):
        v[1:-1, 1:-1] = (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:]) / 4


def ranks_on(procs):
    """The array of the second program before its loop. Each process owns its points and its part of the outer layer."""
    axes = [np.clip((np.arange(15 * p + 2) - 1) // 15, 0, p - 1) for p in procs]
    return axes[0][:, None] * procs[1] + axes[1] * 1.0


def check(page):
    rows, columns = np.arange(page["n"])[:, None], np.arange(page["n"])
    v = 0.1 * rows * rows + columns
    sweep(v)
    assert np.allclose(page["u"].gather(), v)
    w, mine = page["w"], page["mine"]
    assert np.shares_memory(w.local, mine)
    procs = MPI.Compute_dims(w.comm.size, 2)
    whole = ranks_on(procs)
    sweep(whole)
    assert w.shape == whole.shape
    assert np.allclose(w.gather(), whole)
    w.halo_update()
    row, column = (15 * k for k in w.layout.coords(w.rank))
    assert np.allclose(mine, whole[row : row + 17, column : column + 17])
