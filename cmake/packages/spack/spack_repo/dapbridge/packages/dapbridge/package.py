"""Spack's recipe, in a repository of its own: the sources are the clone of dapbridge that it lies in."""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Dapbridge(CMakePackage):
    """Hands distributed arrays, described by the Distributed Array Protocol, to ScaLAPACK, ELPA and PETSc: in the
    program's own buffer where the layouts agree, redistributed where they do not."""

    git = pathlib.Path(__file__).resolve().parents[7].as_uri()

    license("BSD-3-Clause", checked_by="the dapbridge authors")

    version("0.3.0", branch="main")

    variant("scalapack", default=True, description="ScaLAPACK's matrices, dense linear algebra, p?gemr2d")
    variant("elpa", default=False, description="Eigenvalues by ELPA, over ScaLAPACK", when="+scalapack")
    variant("hdf5", default=False, description="Arrays in HDF5 files")
    variant("petsc", default=True, description="PETSc's fields, vectors and matrices")
    variant("python", default=False, description="The Python package")
    variant("fortran", default=False, description="The Fortran modules")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type=("build", "run"))  # the installed CMake package looks for libraries by it
    depends_on("mpi")
    depends_on("jansson@2.7:")  # of the command

    # Found by the pkg-config modules scalapack, elpa, hdf5 and PETSc.
    depends_on("scalapack", when="+scalapack")
    requires(
        "^netlib-scalapack@2.2:",
        "^amdscalapack@4:",
        policy="any_of",
        when="+scalapack",
        msg="ScaLAPACK is found by its pkg-config module, which others do not have",
    )
    depends_on("elpa@2022.11:", when="+elpa")
    depends_on("hdf5@1.10:+mpi", when="+hdf5")
    depends_on("petsc@3.18:+mpi", when="+petsc")

    depends_on("python@3.11:", type=("build", "link", "run"), when="+python")
    depends_on("python@3.11:", type="build", when="+fortran+scalapack")
    depends_on("py-numpy@1.24:", type=("build", "run"), when="+python")
    depends_on("py-mpi4py@3.1:", type=("build", "run"), when="+python")
    depends_on("py-petsc4py@3.18:", type="run", when="+python+petsc")
    extends("python", when="+python")

    conflicts("%fortran=gcc@:11", when="+fortran", msg="the Fortran modules need gfortran 12 or later")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("DAPBRIDGE_SCALAPACK", "scalapack"),
            self.define("DAPBRIDGE_ELPA", spec.satisfies("+elpa")),
            self.define_from_variant("DAPBRIDGE_HDF5", "hdf5"),
            self.define_from_variant("DAPBRIDGE_PETSC", "petsc"),
            self.define_from_variant("DAPBRIDGE_PYTHON", "python"),
            self.define_from_variant("DAPBRIDGE_FORTRAN", "fortran"),
            self.define("DAPBRIDGE_PETSC_DIRS", ""),  # Spack's PETSc only
            self.define("DAPBRIDGE_TESTS", False),
            self.define("DAPBRIDGE_EXAMPLES", False),
            self.define("MPI_C_COMPILER", spec["mpi"].mpicc),
        ]
        if spec.satisfies("+python"):
            args.append(self.define("DAPBRIDGE_PYTHON_EXECUTABLE", spec["python"].command.path))
            args.append(self.define("DAPBRIDGE_PYTHON_DIR", spec["python"].package.platlib))
        return args

    def test_command(self):
        """the command is of this version"""
        command = which(self.prefix.bin.dapbridge)
        assert str(self.spec.version) in command("--version", output=str)

    def test_module(self):
        """the Python package can be imported"""
        if self.spec.satisfies("~python"):
            raise SkipTest("built without Python")
        self.spec["python"].command("-c", "import dapbridge")
