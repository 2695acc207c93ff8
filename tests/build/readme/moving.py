"""Makes the lists for the Python code of bridge/docs/moving.md, and checks its results. Each process lists its two
nodes, and the first node of the next process as its ghost."""
import numpy as np
from mpi4py import MPI

import dapbridge

comm, count = MPI.COMM_WORLD, 2
total = count * comm.size
ghosts = [(2 * comm.rank + 2) % total] if comm.size > 1 else []
listed = [2 * comm.rank, 2 * comm.rank + 1, *ghosts]


def compute():
    pass


def check(page):
    i, j = np.ix_(*page["b"].indices())
    assert np.array_equal(page["b"].owned, 1 + 2 * (j + 100 * i))
    assert (page["total_gradient"].local == comm.size * (comm.size + 1) / 2).all()
    sums = page["nodes"].gather()
    assert (sums[::2] == (2 if comm.size > 1 else 1)).all() and (sums[1::2] == 1).all()
