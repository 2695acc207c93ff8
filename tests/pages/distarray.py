"""Makes the LocalArray of DistArray for bridge/docs/coming/distarray.md. If DistArray cannot be imported, an object
exports the same dictionaries."""
import numpy as np
from mpi4py import MPI

import dapbridge

comm = MPI.COMM_WORLD
mine = np.arange(comm.rank, 9, comm.size)


class LocalArray:
    """Makes 9 x 9 elements, with rows dealt out one by one."""

    ndarray = np.zeros((len(mine), 9))

    def global_from_local(self, index):
        return (mine[index[0]], index[1])

    def __distarray__(self):
        rows = dict(dist_type="c", size=9, proc_grid_rank=comm.rank, proc_grid_size=comm.size, start=comm.rank)
        columns = dict(dist_type="b", size=9, proc_grid_rank=0, proc_grid_size=1, start=0, stop=9)
        return {"__version__": "0.10.0", "buffer": self.ndarray, "dim_data": (rows, columns)}


try:
    from distarray.localapi import LocalArray as Theirs
    from distarray.localapi.maps import Distribution

    local = Theirs(Distribution.from_shape(comm, (9, 9), ("c", "b"), (comm.size, 1)))
except ImportError:
    local = LocalArray()
matrix = np.cos(np.outer(np.arange(1, 10), np.arange(9)) ** 2) + 4 * np.eye(9)
local.ndarray[...] = matrix[mine]


def check(page):
    assert np.allclose(page["y"].gather(), page["x"]), "before and after differ"
    assert np.allclose(matrix @ page["x"], 1)
    again = dapbridge.from_dap(page["exported"], comm)
    assert np.array_equal(again.owned, matrix[np.ix_(*again.indices())])
