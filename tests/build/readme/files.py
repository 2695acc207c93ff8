"""Prepares a folder for the Python code of bridge/docs/files.md, and checks its results."""
import os
import shutil
import tempfile

import numpy as np
from mpi4py import MPI

import dapbridge

comm = MPI.COMM_WORLD
folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
before = os.getcwd()
os.chdir(folder)


def check(page):
    whole = 100.0 * np.arange(1000)[:, None] + np.arange(60)
    for name in ("b", "c", "d", "e"):
        assert np.array_equal(page[name].gather(), whole), name
    assert np.array_equal(page["rows"].gather(), whole[10:20])
    assert page["info"].has_layout and page["info"].layout == page["a"].layout
    whole[10:20] *= -1
    assert np.array_equal(page["column"].gather(), whole[:, 3])
    assert np.array_equal(np.fromfile("f.bin").reshape(whole.shape), whole)
    os.chdir(before)
    comm.barrier()
    if comm.rank == 0:
        shutil.rmtree(folder)
