"""Checks that the recipes for Spack and conda-forge agree with the project: its version, CMake options, and the oldest
releases of other packages. Spack's recipe runs with stand-ins for Spack's names, for every choice of its variants.
conda's recipe must have the form that recipe_v1.json describes.

Usage: recipes.py <source folder>"""

import copy
import itertools
import json
import pathlib
import re
import sys
import tomllib
import types

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: no module {error.name} (Debian: python3-{error.name})")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
faults = []


def same(what, found, wanted):
    if found != wanted:
        faults.append(f"{what}: {found}, not {wanted}")


def text(*path):
    return root.joinpath(*path).read_text()


# ---- the project ----

version = ".".join(re.findall(r"#define DAPBRIDGE_VERSION_\w+ (\d+)", text("include", "dapbridge", "version.h")))
lists = text("CMakeLists.txt")
parts = set(re.findall(r"^set\(DAPBRIDGE_(\w+) (?:AUTO|\$\{\w+\}) CACHE STRING\s+\"Build", lists, re.M))
every = parts | set(re.findall(r"^option\(DAPBRIDGE_(\w+)", lists, re.M))
for file in (root / "cmake").glob("*.cmake"):
    every |= set(re.findall(r"^\s*(?:set|option)\(DAPBRIDGE_(\w+) .*(?:CACHE| ON| OFF)", file.read_text(), re.M))
every.add("PYTHON_EXECUTABLE")  # FindPythonAbi3 reads it
python = tomllib.loads(text("bridge", "python", "pyproject.toml"))["project"]
oldest = dict(re.match(r"(\w+)>=(.*)", each).groups() for each in
              python["dependencies"] + python["optional-dependencies"]["petsc"])
oldest["python"] = python["requires-python"].removeprefix(">=")
oldest["cmake"] = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", lists)[1]
oldest["jansson"] = re.search(r"jansson>=([\d.]+)", text("bridge", "CMakeLists.txt"))[1]

# ---- Spack's recipe, run ----


class Words(types.ModuleType):
    """Notes the directives. All other names are stand-ins, too."""

    def __init__(self):
        super().__init__("spack.package")
        self.said = []
        for word in ("version", "variant", "depends_on", "conflicts", "requires", "extends", "license"):
            setattr(self, word, lambda *args, word=word, **named: self.said.append((word, args, named)))


class Package:
    def define(self, name, value):
        return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

    def define_from_variant(self, name, variant):
        if variant not in self.spec.chosen:
            raise KeyError(f"the spec has no variant {variant}")
        return self.define(name, self.spec.chosen[variant])


class Spec:
    """A spec with these variants. Other packages satisfy every request."""

    def __init__(self, chosen):
        self.chosen = chosen

    def satisfies(self, wanted):
        sign, name = wanted[0], wanted[1:]
        return self.chosen.get(name) is (sign == "+")

    def __getitem__(self, name):
        return types.SimpleNamespace(mpicc="mpicc", command=types.SimpleNamespace(path="python3"),
                                     package=types.SimpleNamespace(platlib="lib/python3/site-packages"))


words = Words()
cmake = types.ModuleType("cmake")
cmake.CMakePackage = Package
for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["spack.package"] = words
sys.modules["spack_repo.builtin.build_systems.cmake"] = cmake
recipe = root / "cmake/packages/spack/spack_repo/dapbridge/packages/dapbridge/package.py"
space = {"__file__": str(recipe), "__name__": "package"}
exec(compile(recipe.read_text(), str(recipe), "exec"), space)
dapbridge = space["Dapbridge"]

same("Spack's sources", dapbridge.git, root.resolve().as_uri())
same("Spack's versions", [args[0] for word, args, _ in words.said if word == "version"], [version])
variants = {args[0]: named.get("when", "") for word, args, named in words.said if word == "variant"}
same("Spack's variants", {name.upper() for name in variants}, parts)
for values in itertools.product([True, False], repeat=len(variants)):
    chosen = dict(zip(variants, values))
    package = dapbridge()
    # A variant that needs another one must not exist without it.
    package.spec = Spec({n: v for n, v in chosen.items() if not variants[n] or chosen[variants[n][1:]]})
    options = dict(re.fullmatch(r"-D(\w+)=(.*)", each).groups() for each in package.cmake_args())
    for name in parts:
        wanted = "ON" if package.spec.chosen.get(name.lower()) else "OFF"
        same(f"Spack's DAPBRIDGE_{name} of {package.spec.chosen}", options.get(f"DAPBRIDGE_{name}"), wanted)

floors = {}
for _, args, _ in (each for each in words.said if each[0] in ("depends_on", "requires")):
    if found := re.match(r"\^?(?:py-|netlib-)?([\w-]+)@([\d.]+):", args[0]):
        floors[found[1]] = found[2]
same("Spack's oldest releases", {name: floors.get(name) for name in oldest}, oldest)

# ---- conda's ----

conda = yaml.safe_load(text("cmake", "packages", "conda", "recipe.yaml"))
form = jsonschema.Draft7Validator(json.loads(text("tests", "install", "recipe_v1.json")))
form.check_schema(form.schema)
for error in form.iter_errors(conda):
    faults.append(f"conda's recipe, {'/'.join(map(str, error.absolute_path))}: {error.message}")
for where, key, value in [  # the form must refuse these
    ((), "requirements", {}),
    (("outputs", 0, "build"), "scripts", "sh build.sh"),
    (("outputs", 0, "requirements"), "run_constrained", []),
    (("outputs", 0, "requirements", "host"), 0, "jansson>= 2.7"),
    (("outputs", 1, "tests", 0), "imports", ["dapbridge"]),
    (("outputs", 1, "build", "python"), "version_independent", "yes"),
    (("source",), "url", "https://example.org/dapbridge.tar.gz"),
    (("about",), "license_files", ["LICENSE"]),
]:
    wrong = copy.deepcopy(conda)
    place = wrong
    for step in where:
        place = place[step]
    place[key] = value
    if form.is_valid(wrong):
        faults.append(f"recipe_v1.json takes {key}: {value} in {'/'.join(map(str, where))}")
same("conda's version", conda["context"]["version"], version)
same("conda's variants", yaml.safe_load(text("cmake", "packages", "conda", "conda_build_config.yaml")),
     {"mpi": ["openmpi", "mpich"], "scalar": ["real", "complex"]})
for output in conda["outputs"]:
    for where, needs in output["requirements"].items():
        for need in needs if where != "run_exports" else []:
            found = re.match(r"([\w-]+) >=([\d.]+)", need)
            if found and found[1] in oldest:
                same(f"conda's {output['package']['name']}, {where}, {found[1]}", found[2], oldest[found[1]])
            elif found and found[1] in floors:
                same(f"conda's {found[1]}, and Spack's", found[2], floors[found[1]])
script = text("cmake", "packages", "conda", "build.sh")
same("the options that conda sets", parts - set(re.findall(r"-D DAPBRIDGE_(\w+)=", script)), set())

# ---- both: every option exists ----
for file in (recipe, root / "cmake/packages/conda/build.sh"):
    same(f"unknown options in {file.name}", set(re.findall(r"DAPBRIDGE_(\w+)", file.read_text())) - every, set())

print("\n".join(faults) or f"{version}: {len(variants)} variants, {len(oldest)} oldest releases, {len(every)} options")
sys.exit(bool(faults))
