"""Moves data from PETSc to dapbridge, to ScaLAPACK, back to PETSc, and to any reader of the Distributed
Array Protocol. A matrix and a vector of petsc4py become arrays in their own memory. ScaLAPACK solves by
Cholesky factorisation. The solution is in the vector, and PETSc checks it. Then the program exports and
imports the vector. Succeeds if the solution is right. Runs on any number of processes."""
import sys

import numpy as np
from mpi4py import MPI
from petsc4py import PETSc

import dapbridge

comm, n = MPI.COMM_WORLD, 600

# PETSc's part
mat = PETSc.Mat().createDense((n, n), comm=comm)
mat.setUp()
first, last = mat.getOwnershipRange()
i, j = np.ogrid[first:last, :n]
mat.getDenseArray()[...] = (i == j) + 1 / (1 + np.abs(i - j))
mat.assemble()
vec, right = mat.createVecs()
right.set(1)
right.copy(vec)

# ScaLAPACK's part: x, and so vec, becomes the solution of mat x = vec
a, x = dapbridge.from_petsc(mat), dapbridge.from_petsc(vec)
uses = []
dapbridge.linalg.solve(a, x, assume_a="pos", overwrite_b=True, report=uses)
layouts = a.layout.summary(), x.layout.summary()
del a, x  # while they live PETSc must not use its objects

# PETSc checks: right - mat vec
rest = right.duplicate()
mat.mult(vec, rest)
rest.aypx(-1, right)
residual = rest.norm(PETSc.NormType.INF) / (
    mat.norm(PETSc.NormType.INF) * vec.norm(PETSc.NormType.INF) * n * np.finfo(float).eps
)

# Another program, which knows only the protocol
export = dapbridge.from_petsc(vec).__distarray__()
other = dapbridge.from_dap(export, comm)
sums = comm.allreduce(other.local.sum()), vec.sum()
if comm.rank == 0:
    for name, layout in zip(("matrix", "vector"), layouts):
        print(f"{name}: {layout}")
    for use in uses:
        print(f"{use.name}: {'shared' if use.shared else 'moved'}: {use.reason}")
    print(f"residual {residual:.4f}")
    print("exported:", ", ".join(f"{key} {value}" for key, value in export["dim_data"][0].items()))
    print(f"sum {np.real(sums[0]):.6f}, PETSc says {np.real(sums[1]):.6f}")
sys.exit(not (residual < 10 and abs(sums[0] - sums[1]) < 1e-9 * n))
