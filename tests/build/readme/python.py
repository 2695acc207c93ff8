"""Runs the code of bridge/docs/python.md in its own folder, because it writes files."""
import os
import shutil
import tempfile

from mpi4py import MPI

comm = MPI.COMM_WORLD
folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
before = os.getcwd()
os.chdir(folder)


def check(page):
    assert (page["d"].gather() == page["b"].gather()[10:20]).all()
    os.chdir(before)
    comm.barrier()
    if comm.rank == 0:
        shutil.rmtree(folder)
