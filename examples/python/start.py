"""A first program: solves A x = b. Each process has some rows of A and b. All elements of x are 1. The
same program in C is 00_start.c, in Fortran fortran/start.f90. Succeeds if x is right. Runs on any
number of processes."""
import sys

import numpy as np
from mpi4py import MPI

import dapbridge

comm, n = MPI.COMM_WORLD, 1000
mine = np.array_split(np.arange(n), comm.size)[comm.rank]  # the numbers of this process's rows
rows = np.sin(np.add.outer(n * mine, np.arange(n)).astype(float) ** 2)
right = rows.sum(axis=1)  # so that x is 1

a = dapbridge.array(rows, comm)  # the distributed array of what all have; nothing is copied
b = dapbridge.array(right, comm)
x = dapbridge.linalg.solve(a, b)  # distributed as b; x.local is this process's part, a numpy array

error = abs(x - 1).max()  # numpy's operators and reductions; all processes get the number
if comm.rank == 0:
    print(f"{n} equations, largest error {error:.1e}")
sys.exit(not error < 1e-6)
