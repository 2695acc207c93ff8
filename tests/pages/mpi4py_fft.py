"""Makes the DistArray that bridge/docs/coming/mpi4py-fft.md uses, in which each element is its index."""
import numpy as np
from mpi4py import MPI
from mpi4py_fft.distarray import DistArray
from mpi4py_fft.pencil import Subcomm

import dapbridge

comm, n, plane = MPI.COMM_WORLD, 8, 5
u = DistArray((n, n, n), Subcomm(comm, [0, 1, 1]))
index = np.arange(n**3, dtype=float).reshape(n, n, n)
u[...] = index[u.local_slice()]


def check(page):
    assert np.allclose(page["singular"], page["s"]), "before and after differ"
    for name in ("b", "c"):
        array = page[name]
        assert np.array_equal(array.owned, index[np.ix_(*array.indices())]), name
    assert np.array_equal(page["v"], page["b"].owned), "before and after differ"
