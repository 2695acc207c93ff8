"""Shows a producer: a program that does not know dapbridge. It cuts a table by columns, and describes
the table by __distarray__(). Any library that reads the Distributed Array Protocol can use it. Here
dapbridge computes the table's singular values, and changes elements in the program's own memory.
Succeeds if both are right. Runs on any number of processes."""
import sys

import numpy as np
from mpi4py import MPI


class Table:
    """A table. Each process has some of its columns."""

    def __init__(self, comm, rows, columns):
        self.start, self.stop = (columns * r // comm.size for r in (comm.rank, comm.rank + 1))
        self.part = np.zeros((rows, self.stop - self.start))
        self.axes = (
            dict(dist_type="b", size=rows, proc_grid_size=1, proc_grid_rank=0, start=0, stop=rows),
            dict(dist_type="b", size=columns, proc_grid_size=comm.size, proc_grid_rank=comm.rank,
                 start=self.start, stop=self.stop),
        )

    def __distarray__(self):
        return {"__version__": "0.10.0", "buffer": self.part, "dim_data": self.axes}


comm = MPI.COMM_WORLD
table = Table(comm, 300, 40)
i, j = np.ogrid[:300, table.start : table.stop]
table.part[...] = np.cos(np.pi * (i + 0.5) * j / 300)  # orthogonal columns

# The other side
import dapbridge

a = dapbridge.from_dap(table, comm)
values = dapbridge.linalg.svdvals(a)
exact = np.sqrt([300] + 39 * [150])  # the columns' lengths
error = np.abs(values - exact).max()

a[:, 7:9].local[...] = -2  # the processes that have them, in place
found = comm.allreduce(np.sum(table.part == -2))
if comm.rank == 0:
    print(a.layout.summary())
    print(f"singular values {values[0]:.4f}, {values[1]:.4f} ... {values[-1]:.4f}; error {error:.1e}")
    print(f"elements of the producer that are -2 now: {found}")
sys.exit(not (error < 1e-12 and found == 600))
