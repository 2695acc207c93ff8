"""Makes the parts that bridge/docs/ghosts.md uses: a chain of nodes, where each part has the next part's first node
as a ghost. The process of an edge's first node computes its term, which adds to each end the value of the other."""
import numpy as np
from mpi4py import MPI

import dapbridge

comm, size = MPI.COMM_WORLD, 13
start, stop = (size * r // comm.size for r in (comm.rank, comm.rank + 1))
nodes = np.arange(start, min(stop + 1, size))
owned = stop - start
values = np.full((len(nodes), 3), -1.0)
values[:owned] = 1 + nodes[:owned, None]


def add_elements(values, sums):
    sums[1:] += values[:-1]
    sums[:-1] += values[1:]


def check(page):
    assert np.array_equal(values, np.repeat(1.0 + nodes[:, None], 3, 1)), values[:, 0]
    chain = np.concatenate([[0], np.arange(1.0, size + 1), [0]])
    expected = (chain[:-2] + chain[2:])[nodes]
    assert np.array_equal(page["sums"].local, np.repeat(expected[:, None], 3, 1)), page["sums"].local[:, 0]
