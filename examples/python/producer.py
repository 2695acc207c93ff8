"""A program that never heard of dapbridge: it cuts a table of measurements by columns, and says so by
__distarray__(), a dictionary for each axis. Whoever reads the Distributed Array Protocol can use it: here dapbridge
computes the singular values, and adds 1 in the program's own memory. For any number of processes."""
import sys

import numpy as np
from mpi4py import MPI


class Table:
    """rows x columns numbers, of which each process has some columns."""

    def __init__(self, comm, rows, columns):
        self.shape, self.comm = (rows, columns), comm
        self.start, self.stop = (columns * r // comm.size for r in (comm.rank, comm.rank + 1))
        self.part = np.zeros((rows, self.stop - self.start))

    def __distarray__(self):
        rows, columns = self.shape
        all_rows = {"dist_type": "b", "size": rows, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": rows}
        my_columns = {"dist_type": "b", "size": columns, "start": self.start, "stop": self.stop}
        my_columns.update(proc_grid_size=self.comm.size, proc_grid_rank=self.comm.rank)
        return {"__version__": "0.10.0", "buffer": self.part, "dim_data": (all_rows, my_columns)}


def main(comm):
    import dapbridge  # all that knows of it

    table = Table(comm, 300, 40)
    i, j = np.ogrid[:300, table.start : table.stop]
    table.part[...] = np.cos(np.pi * (i + 0.5) * j / 300)  # orthogonal columns, of length sqrt(150); the first sqrt(300)

    a = dapbridge.from_dap(table, comm)
    values = dapbridge.linalg.svdvals(a)
    exact = np.sqrt(np.where(np.arange(40) == 0, 300, 150))
    a.local[...] += 1
    error = comm.allreduce(np.abs(values - exact).max(), MPI.MAX)
    is_shared = comm.allreduce(np.shares_memory(a.local, table.part), MPI.LAND)
    if comm.rank == 0:
        print(a.layout.summary())
        print(f"singular values {values[0]:.4f}, {values[1]:.4f} ... {values[-1]:.4f}, error {error:.1e}")
        print(f"in the producer's own memory: {is_shared}")
    return error < 1e-12 * 300 and is_shared


if __name__ == "__main__":
    sys.exit(not main(MPI.COMM_WORLD))
