"""Views memory of numpy as a vector of petsc4py's PETSc, which PETSC_DIR selects on Debian."""
import os

import numpy as np
from mpi4py import MPI
from petsc4py import PETSc

import dapbridge

comm = MPI.COMM_WORLD
a = dapbridge.array(np.full(3, comm.rank + 1, PETSc.ScalarType), comm)
with a.petsc_vector() as v:
    assert v.shared, v.reason
    total = v.vec.sum()
assert total == 3 * comm.size * (comm.size + 1) / 2, total
if comm.rank == 0:
    print(f"petsc: {os.environ.get('PETSC_DIR')}, {np.dtype(PETSc.ScalarType)}, {np.dtype(PETSc.IntType)}: {total}")
