"""Makes the rows of a grid on each process, and the solver, that bridge/docs/coming/petsc4py.md uses."""
import numpy as np
from mpi4py import MPI
from petsc4py import PETSc

import dapbridge

comm, nx, ny = MPI.COMM_WORLD, 7, 13
counts = [len(rows) for rows in np.array_split(np.arange(ny), comm.size)]
first = sum(counts[: comm.rank])
j, i = np.mgrid[first : first + counts[comm.rank], :nx]
u = (100.0 * j + i).astype(PETSc.ScalarType)
start = u.copy()


def solve(dm, vector):
    """Solves a diagonal system in place: 2 x = b + (100 y + x) for each point."""
    points = dm.getVecArray(vector)
    (x0, x1), (y0, y1) = dm.getRanges()
    x, y = np.mgrid[x0:x1, y0:y1]
    points[x0:x1, y0:y1] = (np.array(points[x0:x1, y0:y1]) + 100 * y + x) / 2 + 1


def check(page):
    assert np.allclose(page["before"], start + 1), "before"
    assert np.allclose(page["u"], start + 1), "after"
