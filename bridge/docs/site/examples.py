"""Makes a page for each example: the text at its top, how to run it, its code, and its output."""
import re

LANGUAGES = {".c": "c", ".py": "python", ".f90": "fortran", ".F90": "fortran"}
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


def how_to_run(file, ranks):
    if file.suffix == ".py":
        return (f"cmake --build --preset release --target dapbridge_python\n"
                f"PYTHONPATH=build/release/python sh cmake/mpirun.sh {ranks} /usr/bin/python3 examples/python/{file.name}")
    target = file.stem if file.suffix == ".c" else f"fortran_{file.stem}"
    return f"cmake --build --preset release --target {target}\nsh cmake/mpirun.sh {ranks} build/release/bin/{target}"


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


def beside(code):
    """What lies beside the program that it includes."""
    if '#include "log.h"' not in code:
        return ""
    return "\n`log.h` lies beside it: with `DAPBRIDGE_LOG=info` in the environment it prints what the library decides.\n"


def page(file, repository, ranks):
    said, code = split(file.read_text(encoding="utf-8"))
    name = f"fortran_{file.stem}" if file.suffix.lower() == ".f90" else file.stem
    return (f"# {file.name}\n\n{said}\n\n```sh\n{how_to_run(file, ranks.get(file.stem, 4))}\n```\n\n"
            f"That is in the sources; [with an installed copy](../examples.md#build-and-run-them).\n{beside(code)}\n## The program\n\n"
            f"```{LANGUAGES[file.suffix]}\n{code.strip()}\n```\n"
            f"{printed(repository / 'examples/expected' / (name + '.txt'))}")


def pages(repository):
    folder, ranks = repository / "examples", ranks_of(repository)
    files = [f for part in ("", "python", "fortran") for f in sorted((folder / part).iterdir()) if f.suffix in LANGUAGES]
    return {page_of(file): page(file, repository, ranks) for file in files}
