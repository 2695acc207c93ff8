"""Makes the rows of a matrix and of a right-hand side that bridge/docs/coming/scalapack-python.md uses."""
import numpy as np
from mpi4py import MPI

import dapbridge

comm, n = MPI.COMM_WORLD, 24
mine = np.array_split(np.arange(n), comm.size)[comm.rank]
rows = np.cos(np.outer(mine + 1, np.arange(n)) ** 2) + 5 * (mine[:, None] == np.arange(n))
right = rows.sum(axis=1)


def check(page):
    assert np.allclose(page["x"].local, 1)
    assert len(page["descriptor"]) == 9
    if comm.rank == 0:
        assert np.allclose(page["values"], np.linalg.svd(page["matrix"], compute_uv=False))
        assert np.array_equal(page["back"], page["matrix"])
