"""Solves A x = b. Each process has some rows of A and b as numpy arrays. ScaLAPACK solves in its own
layout, and x has the distribution of b. Succeeds if x is right. Runs on any number of processes."""
import sys

import numpy as np
from mpi4py import MPI

import dapbridge

comm, n = MPI.COMM_WORLD, 1000
mine = np.array_split(np.arange(n), comm.size)[comm.rank]  # the numbers of this process's rows
rows = np.sin(np.add.outer((n + 1.0) * mine, np.arange(n)) ** 2)
right = np.cos(mine)

a = dapbridge.array(rows, comm)  # the distributed array of what all have; nothing is copied
b = dapbridge.array(right, comm)
uses, start = [], MPI.Wtime()
x = dapbridge.linalg.solve(a, b, report=uses)
seconds = MPI.Wtime() - start

whole = x.gather()  # all of x as a numpy array, on every process
error = np.max(np.abs(rows @ whole - right) / (np.abs(rows) @ np.abs(whole)))
residual = comm.allreduce(error, MPI.MAX) / (n * np.finfo(float).eps)
if comm.rank == 0:
    for use in uses:
        print(f"{use.name}: {'shared' if use.shared else 'moved'}: {use.reason}")
    print(f"{seconds:.3f} s, residual {residual:.4f} n eps")
sys.exit(not residual < 10)
