"""Runs separate programs that test which PETSc is used, and the order of ends. One process starts them."""

import os
import re

import pytest
from programs import run

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge  # noqa: E402

pytestmark = pytest.mark.limit(120)

RELEASE = ".".join(str(n) for n in PETSc.Sys.getVersion()[:2])  # such as "3.18"
BUILDS = {  # paths on Debian
    f"{bits}{numbers}": f"/usr/lib/petscdir/petsc{bits}{RELEASE}/x86_64-linux-gnu-{numbers}"
    for bits in ("", "64-")
    for numbers in ("real", "complex")
}
USE = """
import sys
import numpy as np
import dapbridge as db
from mpi4py import MPI
from petsc4py import PETSc
a = db.zeros((12, 5), MPI.COMM_WORLD, [db.padded(1)], PETSc.ScalarType)
"""


def succeed(script, ranks=1, **variables):
    """Returns the program's output in words."""
    done = run("import sys\n" + script, ranks, **variables)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "rror" not in done.stderr, done.stderr
    return done.stdout.split()


#: Objects that exist when the program ends; all run in one program.
ENDS = {
    "views that have ended": "with a.petsc_field() as f: pass",
    "a live view": "f = a.petsc_field(); f._handle.dm; v = a.petsc_vector(share='never')",
    "a forgotten view": "import warnings\nwarnings.simplefilter('ignore')\na.petsc_vector()\na.petsc_matrix()",
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
}
FINALISED = """
with a.petsc_vector() as ended: pass
b = db.from_petsc(PETSc.Vec().createMPI(6, comm=MPI.COMM_WORLD))
v = a.petsc_vector()
kept = v.vec
PETSc._finalize()
del b
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
"""
PROGRAMS = {
    "the program": "worlds = []\n" + "".join(
        f"worlds.append(dict(globals(), a=db.zeros((12, 5), MPI.COMM_WORLD, [db.padded(1)], PETSc.ScalarType)))\n"
        f"exec({script!r}, worlds[-1])\n" for script in ENDS.values()
    ),
    "PETSc": FINALISED,
    "PETSc, then MPI": "v = a.petsc_vector()\nkept = v.vec\nPETSc._finalize()\nMPI.Finalize()",
    "a block by exit": "with a.petsc_vector() as v: sys.exit(0)",
}  # fmt: skip


@pytest.mark.parametrize("name, first", [
    ("the program", "dapbridge"), ("the program", "petsc4py.PETSc"), ("PETSc", "dapbridge"), ("PETSc", "petsc4py.PETSc"),
    ("PETSc, then MPI", "dapbridge"), # PETSc would have ended it
    ("a block by exit", "petsc4py.PETSc"),
])  # fmt: skip
def test_ends(name, first):
    """The module that is imported first starts and ends MPI."""
    said = succeed(f"import {first}\n{USE}{PROGRAMS[name]}\nprint('end')")
    assert said == ([] if "exit" in name else ["end"])


def test_an_exception_ends_the_program_as_any():
    done = run(USE + "with a.petsc_vector() as v: v.vec.setSizes(3, 4, 5)")
    assert done.returncode == 1 and re.findall(r"^\w+Error", done.stderr, re.MULTILINE)[-1] == "TypeError", done.stderr


# ---- start of PETSc, and its options ----

VIEW = "a = db.zeros((12,), MPI.COMM_WORLD)\nwith a.petsc_vector() as v: pass\n"
SEEN = """
from petsc4py import PETSc
has = [PETSc.Options().hasName(name) for name in ("ksp_type", "from_environment")]
print(has == [{}, True] and PETSc.COMM_WORLD.size == MPI.COMM_WORLD.size)
"""
ARGV = """import os
os.environ["PETSC_OPTIONS"] = "-from_environment -options_left no"  # newer releases print what was not used
sys.argv += ["-ksp_type", "cg"]
"""
IMPORTS = ARGV + "import dapbridge as db\nfrom mpi4py import MPI\n"
INIT = "import petsc4py\npetsc4py.init(sys.argv)\n"
STARTS = {
    "the program, with the command line": IMPORTS + INIT + VIEW + SEEN.format(True),
    "the program, before dapbridge": ARGV + INIT + IMPORTS + VIEW + SEEN.format(True),
    "the program, without options": IMPORTS + "from petsc4py import PETSc\n" + VIEW + SEEN.format(False),
    "the first view": IMPORTS + VIEW + SEEN.format(False),
    "the program, after a view was refused": IMPORTS + f"""
import petsc4py
try:
    {VIEW.replace(chr(10), chr(10) + '    ')}
    sys.exit("a view")
except ImportError as e:
    assert "petsc4py.init(sys.argv)" in str(e), e
""" + INIT + VIEW + SEEN.format(True),
}  # fmt: skip


@pytest.mark.parametrize("who", STARTS)
def test_starts(who):
    """A first view starts PETSc only in programs that can no longer call petsc4py.init()."""
    assert "".join(succeed(STARTS[who], 2)) == "True" * 2


# ---- which PETSc ----

FAKE = (
    USE
    + """
import types
fake = types.ModuleType("petsc4py.PETSc")
for name in ("ScalarType", "IntType", "Sys", "__file__", "__pyx_capi__"):
    setattr(fake, name, getattr(PETSc, name))
sys.modules["petsc4py.PETSc"] = fake
"""
)
WITHOUT = USE + """
import importlib
original = importlib.import_module
def import_module(name, package=None):
    if name.startswith("._petsc"):
        raise ModuleNotFoundError(f"No module named {name!r}")
    return original(name, package)
importlib.import_module = import_module
"""
OTHERS = {  # the available petsc4py, and parts of the exception; functions are resolved when the module is loaded
    "none": ("""
sys.modules["petsc4py"] = None
import dapbridge as db
from mpi4py import MPI
a = db.zeros((12,), MPI.COMM_WORLD)
a.local[0] = 1
""", ("ImportError", "need petsc4py")),
    "other functions": (FAKE + """
fake.__pyx_capi__ = dict(PETSc.__pyx_capi__, PyPetscVec_New=PETSc.__pyx_capi__["PyPetscDM_New"])
""", ("ImportError", "PyPetscVec_New", "PyObject *(DM)")),
    "another release": (FAKE + "fake.Sys = types.SimpleNamespace(getVersion=lambda: (3, 99, 1))\n",
                        ("ImportError: dapbridge._petsc", f"PETSc {RELEASE}", "PETSc 3.99.1")),
    "one for which nothing was built": (WITHOUT, ("ImportError: dapbridge._petsc", "not built", f"PETSc {RELEASE}")),
}  # fmt: skip


TRIED = """
import importlib
import sys
original = importlib.import_module
for script in {scripts!r}:
    try:
        exec(script + "\\na.petsc_vector()", {{"sys": sys}})
        print("a view")
    except ImportError as e:
        print("ImportError:", e)
    importlib.import_module = original
    if sys.modules["petsc4py"] is None:
        del sys.modules["petsc4py"]
    else:
        sys.modules["petsc4py.PETSc"] = sys.modules["petsc4py"].PETSc
"""


def other_build():
    """Returns a list with the file of petsc4py for another PETSc, or an empty list."""
    for folder in BUILDS.values():
        path = f"{folder}/lib/python3/dist-packages/petsc4py/lib/{os.path.basename(PETSc.__file__)}"
        if os.path.exists(path) and not os.path.samefile(path, PETSc.__file__):
            return [path]
    return []


def test_petsc4py_does_not_fit():
    """Tests all in one program. The last petsc4py has the same numbers and release, but functions of another
    library."""
    scripts = [script for script, _ in OTHERS.values()]
    scripts += [f"{FAKE}import ctypes\nlibrary = ctypes.CDLL({p!r})\nfake.__file__ = {p!r}\n" for p in other_build()]
    done = run(TRIED.format(scripts=scripts))
    said = done.stdout.splitlines()
    assert len(said) == len(scripts), done.stderr
    for error, (_, words) in zip(said, OTHERS.values()):
        assert re.match(".*".join(map(re.escape, words)), error), error
    for error in said[len(OTHERS) :]:
        assert len(set(re.findall(r"/\S*libpetsc[^\s;]*", error))) == 2, error


BUILD = USE + """
import dapbridge._petsc4py
a.local[...] = 2
with a.petsc_field(share="required") as f:
    assert f.global_vec.norm(PETSc.NormType.INFINITY) == 2
    f.global_vec.scale(2.0)
with a.petsc_vector() as v, a.petsc_matrix(access="r") as m:
    assert v.vec.norm(PETSc.NormType.INFINITY) == 4 and m.mat.getSize() == (12, 5)
assert (a.local == 4).all()
assert db.from_petsc(PETSc.DMDA().create((3, 4), comm=MPI.COMM_SELF)).shape == (4, 3)
print(dapbridge._petsc4py._loaded.__name__, a.dtype, np.dtype(PETSc.IntType).itemsize)
"""


@pytest.mark.parametrize("build", BUILDS)
def test_all_builds(build):
    """The module for petsc4py's PETSc must be loaded, and must work."""
    bits, _, numbers = build.rpartition("-")
    module = f"_petsc{bits}_{numbers}"
    if not os.path.exists(f"{BUILDS[build]}/lib/python3/dist-packages/petsc4py"):
        pytest.skip("not installed")
    if not os.path.exists(f"{os.path.dirname(dapbridge.__file__)}/{module}.abi3.so"):
        pytest.skip("not built")
    dtype, size = "complex128" if numbers == "complex" else "float64", "8" if bits else "4"
    assert succeed(BUILD, PETSC_DIR=BUILDS[build]) == [f"dapbridge.{module}", dtype, size]
