"""Makes a page for each example: the text at its top, how to run it, its code, and its output."""
import re

LANGUAGES = {".c": "c", ".py": "python", ".f90": "fortran", ".F90": "fortran"}
MODULES = [  # (pkg-config module, how the headers begin that need it)
    ("dapbridge_scalapack", "dapbridge/(scalapack|linalg)"),
    ("dapbridge_elpa", "dapbridge/elpa"),
    ("dapbridge_petsc", "dapbridge/petsc"),
    ("SLEPc", "slepc"),
    ("dapbridge", r"dapbridge(\.h|/(comm|log|part|shared)\.h)"),  # the core, which the other modules include
]
TOP = [re.compile(r"\A/\*(.*?)\*/\s*", re.S), re.compile(r'\A"""(.*?)"""\s*', re.S), re.compile(r"\A((?:!>.*\n)+)")]


def page_of(file):
    return f"examples/{file.stem}.md" if file.suffix == ".c" else f"examples/{file.parent.name}_{file.stem}.md"


def split(code):
    """What is said at the top, and the code."""
    for pattern in TOP:
        found = pattern.match(code)
        if found:
            said = re.sub(r"^\s*(\*|!>) ?", "", found[1], flags=re.M)
            return " ".join(said.split()), code[found.end() :]
    return "", code


def in_sources(file, ranks):
    """The commands that build and run an example in the sources."""
    if file.suffix == ".py":
        target = "dapbridge_python"
        run = f"PYTHONPATH=build/release/python sh cmake/mpirun.sh {ranks} /usr/bin/python3 examples/python/{file.name}"
    else:
        target = file.stem if file.suffix == ".c" else f"fortran_{file.stem}"
        run = f"sh cmake/mpirun.sh {ranks} build/release/bin/{target}"
    return f"cmake --preset release && cmake --build --preset release --target {target}\n{run}"


def modules_of(code):
    """The pkg-config modules that a program in C needs."""
    for header in re.findall(r"#include <(dapbridge[^>]*)>", code):
        if not any(re.match(pattern, header) for _, pattern in MODULES):
            raise ValueError(f"<{header}> is not in a known module: add it to MODULES in bridge/docs/site/examples.py")
    found = [module for module, pattern in MODULES[:-1] if re.search(f"#include <{pattern}", code)]
    return " ".join(found) or MODULES[-1][0]


def installed(file, code, ranks):
    """The commands that compile and run an example of an installed dapbridge."""
    folder = "<dir>/share/doc/dapbridge/examples"
    if file.suffix == ".py":
        return ("export PYTHONPATH=<dir>/lib/python3/dist-packages\n"
                f"mpiexec -n {ranks} /usr/bin/python3 -m mpi4py {folder}/python/{file.name}")
    if file.suffix == ".c":
        compiled = (f"mpicc {folder}/{file.name} \\\n"
                    f"  $(pkg-config --cflags --libs {modules_of(code)}) -Wl,-rpath,<dir>/lib -lm")
    else:
        module, option = "dapbridge_fortran", ""
        if "dapbridge_petsc" in code:
            module, option = "dapbridge_fortran_petsc", "-ffree-line-length-none "
        compiled = (f"mpifort {option}$(pkg-config --cflags {module}) {folder}/fortran/{file.name} \\\n"
                    f"  $(pkg-config --libs {module}) -Wl,-rpath,<dir>/lib")
    return (f"export PKG_CONFIG_PATH=<dir>/lib/pkgconfig\n{compiled} -o {file.stem}\n"
            f"mpiexec -n {ranks} ./{file.stem}")


def printed(expected):
    """What a run prints: lines of an expected output. Those that begin with ~ are patterns, of numbers that vary."""
    if not expected.exists():
        return ""
    lines = []
    for line in expected.read_text(encoding="utf-8").splitlines():
        if line.startswith("~ "):
            line = re.sub(r"\\(.)", r"\1", re.sub(r"(\[[^]]*\]|\\d|\.)[*+?]+|\(.*?\)[*+?]|\[[^]]*\]", "*", line[2:]))
            line = re.sub(r"[*]+(\.?[*]+)*", "...", line)
        lines.append(line)
    text = "\n".join(lines).strip("\n")
    return f"\n## What it prints\n\n```text\n{text}\n```\n" if text else ""


def ranks_of(repository):
    """How many processes each is tested on, from the tests' list."""
    listed = (repository / "examples/CMakeLists.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"dap_(?:\w+_)?example\((\w+) .*?RANKS (\d+)", listed))


def on_log(code):
    """The sentences on log.h, if the program includes it."""
    if '#include "log.h"' not in code:
        return ""
    return ("\nThe program includes `log.h`, which is in the same folder. If you set `DAPBRIDGE_LOG=info` in the "
            "environment, the program prints dapbridge's decisions on standard error.\n")


def on_slepc(file, code):
    """The sentences on SLEPc, if the program in C uses it."""
    if file.suffix != ".c" or "SLEPc" not in modules_of(code):
        return ""
    return ("\nThe SLEPc that `pkg-config` finds must have been built for the PETSc of `dapbridge_petsc`. Put the "
            "folder with this SLEPc's `SLEPc.pc` first in `PKG_CONFIG_PATH`.\n")


def page(file, repository, ranks):
    said, code = split(file.read_text(encoding="utf-8"))
    name = f"fortran_{file.stem}" if file.suffix.lower() == ".f90" else file.stem
    count = ranks.get(file.stem, 4)
    return (f"# {file.name}\n\n{said}\n\n"
            "If dapbridge is installed, run the program with these commands. `<dir>` is the folder to which dapbridge "
            f"is installed:\n\n```sh\n{installed(file, code, count)}\n```\n{on_slepc(file, code)}\n"
            "If `mpiexec` refuses because you are root or have too few cores, "
            "[set these variables](../getting-started.md#run-on-four-processes). "
            "In the folder with dapbridge's sources, you can use these commands instead:\n\n"
            f"```sh\n{in_sources(file, count)}\n```\n{on_log(code)}\n"
            "## The program\n\n"
            f"```{LANGUAGES[file.suffix]}\n{code.strip()}\n```\n"
            f"{printed(repository / 'examples/expected' / (name + '.txt'))}")


def pages(repository):
    folder, ranks = repository / "examples", ranks_of(repository)
    files = [f for part in ("", "python", "fortran") for f in sorted((folder / part).iterdir()) if f.suffix in LANGUAGES]
    return {page_of(file): page(file, repository, ranks) for file in files}
