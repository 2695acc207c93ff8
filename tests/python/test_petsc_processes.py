"""Programs of their own: which PETSc is used, and the order of ends. Rank 0 starts them, on one process."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

BUILDS = {
    f"{bits}{numbers}": f"/usr/lib/petscdir/petsc{bits}3.18/x86_64-linux-gnu-{numbers}"
    for bits in ("", "64-")
    for numbers in ("real", "complex")
}

START = """
import sys
import numpy as np
"""

USE = """
import dapbridge as db
from mpi4py import MPI
from petsc4py import PETSc
a = db.zeros((12, 5), MPI.COMM_WORLD, [db.padded(1)], PETSc.ScalarType)
"""


def run(script, petsc_dir=None):
    """Runs a program without the launcher's variables: it is a world of its own."""
    launcher = re.compile("OMPI_COMM_|OMPI_UNIVERSE|OMPI_APP|OMPI_FILE|OMPI_FIRST|OMPI_NUM|PMIX_|PMI_|PRTE_")
    environment = {name: value for name, value in os.environ.items() if not launcher.match(name)}
    environment["OMPI_MCA_ess_singleton_isolated"] = "1"
    if petsc_dir is not None:
        environment["PETSC_DIR"] = petsc_dir
    path = [p for p in sys.path if "petsc" not in p]
    environment["PYTHONPATH"] = os.pathsep.join(p for p in path if p and "dist-packages" not in p)
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", START + textwrap.dedent(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


def succeed(script, petsc_dir=None):
    done = run(script, petsc_dir)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "rror" not in done.stderr, done.stderr
    return done.stdout.split()


def fail(script):
    """The last line of what it says."""
    done = run(script)
    assert done.returncode == 1, done.stderr
    return done.stderr.strip().splitlines()[-1]


ENDS = {
    "views that have ended": "with a.petsc_field() as f: pass",
    "petsc4py first": "",
    "a live view": "f = a.petsc_field(); f._handle.dm; v = a.petsc_vector(share='never')",
    "a forgotten view": "import warnings; warnings.simplefilter('ignore'); a.petsc_vector(); a.petsc_matrix()",
    "a vector that outlives its view": "with a.petsc_field() as f: kept = f.local",
    "a vector that outlives all": "with a.petsc_field() as f: kept = f.local\ndel a, f",
    "an imported vector": "v = PETSc.Vec().createMPI(6, comm=MPI.COMM_WORLD); b = db.from_petsc(v)",
    "an imported vector's memory": "b = db.from_petsc(PETSc.Vec().createMPI(6, comm=MPI.COMM_WORLD)).local",
    "a DMDA of a field": "with a.petsc_field() as f: dm = f.dm",
    "a solver on a field": """
with a.petsc_field(width=1) as f:
    ksp = PETSc.KSP().create(f.dm.comm)
    m = f.dm.createMatrix(); m.setDiagonal(f.dm.createGlobalVec()); m.shift(2.0); m.assemble()
    ksp.setOperators(m); ksp.solve(f.global_vec, f.global_vec.duplicate())
""",
    "PETSc is finalised, views have ended": "with a.petsc_vector() as v: pass\nPETSc._finalize()",
    "PETSc is finalised, a vector is imported":
        "b = db.from_petsc(PETSc.Vec().createMPI(6, comm=MPI.COMM_WORLD)); PETSc._finalize(); del b",
    "PETSc is finalised, a view lives": """
v = a.petsc_vector()
kept = v.vec
PETSc._finalize()
try:
    v.restore()
except db.LibraryError as e:
    assert 'finalised' in str(e)
    assert not v.is_live
else:
    sys.exit('no error')
try:
    a.petsc_vector()
except db.LibraryError as e:
    assert 'finalised' in str(e)
else:
    sys.exit('no error')
""",
    "PETSc, then MPI are finalised": "v = a.petsc_vector()\nkept = v.vec\nPETSc._finalize()\nMPI.Finalize()",
    "exit within a block": "with a.petsc_vector() as v: sys.exit(0)",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_ends(comm, name):
    if comm.rank == 0:
        first = "from petsc4py import PETSc" if "first" in name else "import dapbridge"
        assert succeed(f"{first}\n{USE}{ENDS[name]}\nprint('end')")[-1:] == (
            [] if "exit" in name else ["end"]
        )


def test_an_exception_ends_the_program_as_any(comm):
    if comm.rank == 0:
        assert fail(USE + "with a.petsc_vector() as v: v.vec.setSizes(3, 4, 5)").startswith("TypeError")


# ---- which PETSc ----


def test_petsc4py_is_absent(comm):
    script = """
    sys.modules["petsc4py"] = None
    import dapbridge as db
    from mpi4py import MPI
    a = db.zeros((12,), MPI.COMM_WORLD)
    a.local[0] = 1
    a.petsc_vector()
    """
    if comm.rank == 0:
        assert fail(script).startswith("ImportError: dapbridge's views of PETSc need petsc4py")


def test_petsc4py_is_another_release(comm):
    script = f"""
    {USE.strip().replace(chr(10), chr(10) + '    ')}
    PETSc.Sys.getVersion = lambda: (3, 99, 1)
    class Fake:
        ScalarType, IntType, __file__ = PETSc.ScalarType, PETSc.IntType, PETSc.__file__
        class Sys:
            getVersion = staticmethod(lambda: (3, 99, 1))
    sys.modules["petsc4py.PETSc"].Sys = Fake.Sys
    a.petsc_vector()
    """
    if comm.rank == 0:
        line = fail(script)
        assert "ImportError" in line and "PETSc 3.99.1" in line and "PETSc 3.18" in line


def other_build():
    """One with the same numbers as no other, that is not the one in use; or None."""
    from petsc4py import PETSc

    for name, folder in BUILDS.items():
        path = f"{folder}/lib/python3/dist-packages/petsc4py/lib/{os.path.basename(PETSc.__file__)}"
        if os.path.exists(path) and not os.path.samefile(path, PETSc.__file__):
            return name, path
    return None


def test_petsc4py_has_another_library(comm):
    """The same numbers and release, but the functions come from another library."""
    if comm.rank != 0:
        return
    found = other_build()
    if found is None:
        pytest.skip("one build of PETSc only")
    line = fail(
        USE
        + f"""
import ctypes
library = ctypes.CDLL({found[1]!r})
PETSc.__file__ = {found[1]!r}
a.petsc_vector()
"""
    )
    assert line.startswith("ImportError: dapbridge._petsc")
    paths = re.findall(r"(/\S*libpetsc\S*)", line)
    assert len(set(paths)) == 2, line


def test_a_build_without_a_module(comm):
    script = (
        USE
        + """
import types
fake = types.ModuleType("petsc4py.PETSc")
fake.ScalarType, fake.IntType, fake.Sys, fake.__file__ = np.float64, np.int32, PETSc.Sys, PETSc.__file__
import dapbridge.petsc
import importlib
original = importlib.import_module
def import_module(name, package=None):
    if name.startswith("._petsc"):
        raise ModuleNotFoundError(f"No module named {name!r}")
    return original(name, package)
importlib.import_module = import_module
a.petsc_vector()
"""
    )
    if comm.rank == 0:
        line = fail(script)
        assert "ImportError: dapbridge._petsc" in line and "was not built" in line and "3.18" in line


@pytest.mark.parametrize("build", BUILDS)
def test_all_builds(comm, build):
    """The module of petsc4py's PETSc is taken, and works."""
    if not os.path.exists(f"{BUILDS[build]}/lib/python3/dist-packages/petsc4py"):
        pytest.skip("not installed")
    script = (
        USE
        + """
import dapbridge.petsc
a.local[...] = 2
with a.petsc_field(share="required") as f:
    assert f.global_vec.norm(0) == 2
    f.global_vec.scale(2.0)
with a.petsc_vector() as v, a.petsc_matrix(access="r") as m:
    assert v.vec.norm(0) == 4 and m.mat.getSize() == (12, 5)
assert (a.local == 4).all()
assert db.from_petsc(PETSc.DMDA().create((3, 4), comm=MPI.COMM_SELF)).shape == (4, 3)
print(dapbridge.petsc._loaded.__name__, a.dtype, np.dtype(PETSc.IntType).itemsize)
"""
    )
    if comm.rank == 0:
        module, dtype, size = succeed(script, BUILDS[build])
        bits, _, numbers = build.rpartition("-")
        assert module == f"dapbridge._petsc{bits}_{numbers}"
        assert dtype == ("complex128" if numbers == "complex" else "float64")
        assert size == ("8" if bits else "4")
