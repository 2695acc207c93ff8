"""Builds the package with CMake, and copies the shared libraries to the folder of the package's modules.

The environment variable CMAKE_ARGS contains options of CMake, such as -DDAPBRIDGE_PETSC=OFF. DAPBRIDGE_PIP_BUILD names
the build folder; the default is build/pip in the repository to which this folder belongs. In an archive (sdist), the
folder source contains the necessary parts of the repository.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

here = pathlib.Path(__file__).resolve().parent
root = here / "source" if (here / "source").is_dir() else here.parents[1]
build = pathlib.Path(os.environ.get("DAPBRIDGE_PIP_BUILD", root / "build" / "pip"))
build.mkdir(parents=True, exist_ok=True)


def version() -> str:
    text = (root / "include" / "dapbridge" / "version.h").read_text()
    return ".".join(re.findall(r"#define DAPBRIDGE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


class CMakeBuild(build_ext):
    def run(self) -> None:
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "DAPBRIDGE_PYTHON": "ON",
            "DAPBRIDGE_PYTHON_EXECUTABLE": sys.executable,
            "DAPBRIDGE_TESTS": "OFF",
            "DAPBRIDGE_EXAMPLES": "OFF",
            # Modules look for the libraries where they are themselves.
            "DAPBRIDGE_PYTHON_DIR": ".",
            "CMAKE_INSTALL_LIBDIR": "dapbridge",
            "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",
        }
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        folder = build / "cmake"
        shutil.rmtree(folder / "python", ignore_errors=True)
        shutil.rmtree(folder / "lib", ignore_errors=True)
        settings = [f"-D{name}={value}" for name, value in options.items()]
        more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", root, "-B", folder, *generator, *settings, *more], check=True)
        subprocess.run(
            ["cmake", "--build", folder, "--parallel", str(os.cpu_count()), "--target", "dapbridge_python"], check=True
        )

        package = pathlib.Path(self.build_lib) / "dapbridge"
        package.mkdir(parents=True, exist_ok=True)
        for module in (folder / "python" / "dapbridge").glob("_*.abi3.so"):
            shutil.copy2(module, package)
        for library in (folder / "lib").glob("libdapbridge*.so.*"):
            if library.is_symlink():  # of the name that modules ask for
                shutil.copy2(library, package)


class Archive(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        source = pathlib.Path(base_dir) / "source"
        ignored = shutil.ignore_patterns("__pycache__", pathlib.Path(base_dir).name)  # which is made in this folder
        for folder in ("cmake", "include", "bridge"):
            shutil.copytree(root / folder, source / folder, ignore=ignored)
        for file in ("CMakeLists.txt", "LICENSE", "README.md"):
            shutil.copy2(root / file, source)


setup(
    version=version(),
    packages=["dapbridge"],
    package_data={"dapbridge": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("dapbridge._core", [], py_limited_api=True)],
    cmdclass={"build_ext": CMakeBuild, "sdist": Archive},
    options={
        "build": {"build_base": str(build)},
        "egg_info": {"egg_base": str(build)},
        "bdist_wheel": {"py_limited_api": "cp311"},
    },
)
