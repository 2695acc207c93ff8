"""Uses the installed package: cuts a matrix into columns, moves and gathers it, and with ScaLAPACK solves a system.
All files of dapbridge that are loaded must come from one folder.

Usage: hello.py <folder>"""
import importlib.util
import pathlib
import sys

import numpy as np
from mpi4py import MPI

import dapbridge

comm = MPI.COMM_WORLD
whole = np.arange(12.0).reshape(3, 4) + 20 * np.eye(3, 4)
a = dapbridge.from_global(whole if comm.rank == 0 else None, comm, ["local", "block"])
assert a.shape == (3, 4) and a.local.shape == (3, 4 // comm.size)
b = a.redistribute(["cyclic", "local"])
back = b.gather(0)
assert comm.rank != 0 or np.array_equal(back, whole)

package = pathlib.Path(dapbridge.__file__).parent
assert {"py.typed", "_core.pyi"} <= {file.name for file in package.iterdir()}
if importlib.util.find_spec("dapbridge._scalapack"):
    matrix = whole[:, :3]
    x = dapbridge.linalg.solve(
        dapbridge.from_global(matrix, comm, ["block", "local"]),
        dapbridge.from_global(matrix @ np.ones((3, 1)), comm, ["block", "local"]),
    )
    assert comm.allreduce(abs(x.local - 1).max(initial=0), MPI.MAX) < 1e-12

with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "libdapbridge" in line or ".abi3.so" in line}
loaded = {path for path in loaded if "dapbridge" in path}
elsewhere = [path for path in loaded if not path.startswith(sys.argv[1])]
assert loaded and not elsewhere, (loaded, elsewhere)
print(f"rank {comm.rank} of {comm.size}: {len(loaded)} files, {package}")
