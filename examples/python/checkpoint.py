"""Saves an array as a .npy file, and continues with one process less, as after a restart. numpy reads
the file. The program loads the whole array and then some columns, and overwrites a row in place.
Succeeds if all elements are right. Runs on any number of processes."""
import os
import sys

import numpy as np
from mpi4py import MPI

import dapbridge

comm = MPI.COMM_WORLD
rows, columns = 1000, 600
dist = [dapbridge.cyclic(64), dapbridge.cyclic(64)]
a = dapbridge.from_function(lambda i, j: columns * i + j, (rows, columns), comm, dist)
a.save("checkpoint.npy")  # complete, or the old file is still there; the layout is beside it

fewer = comm.Split(0 if comm.rank < max(comm.size - 1, 1) else MPI.UNDEFINED, comm.rank)
good = True
if fewer != MPI.COMM_NULL:
    info = dapbridge.file_info("checkpoint.npy", fewer)
    b = dapbridge.load("checkpoint.npy", fewer)  # with the stored layout if the number of processes is the same
    some = dapbridge.load("checkpoint.npy", fewer, part=np.s_[:, 10:15])
    wanted = np.arange(rows * columns, dtype=float).reshape(rows, columns)
    good = np.array_equal(b.gather(), wanted) and np.array_equal(some.gather(), wanted[:, 10:15])
    (-b[7]).save("checkpoint.npy", mode="r+", part=7)
    wanted[7] *= -1
    if fewer.rank == 0:
        good = good and np.array_equal(np.load("checkpoint.npy"), wanted)
        print(f"{info.shape[0]} x {info.shape[1]} of {info.dtype}, {'as stored' if info.has_layout else info.note}")
        print(f"loaded, and changed in place: {'right' if good else 'wrong'}")
        os.remove("checkpoint.npy")
        os.remove("checkpoint.npy.dap")
sys.exit(not comm.allreduce(good, MPI.LAND))
