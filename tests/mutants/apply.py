"""Puts all mutants of mutants.txt into a scratch copy of the sources: apply.py <copy>. Prints their numbers, names and files.

A mutant that does not fit the sources any more is an error."""
import os
import pathlib
import re
import sys

KEYS = ("mutant", "file", "line", "is", "becomes", "why")


def read(path):
    """The mutants, as dictionaries of KEYS."""
    mutants = []
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            mutant = dict(re.split(r" +", line.strip(), maxsplit=1) for line in lines)
            if tuple(mutant) != KEYS:
                sys.exit(f"mutants.txt: {mutant.get('mutant', block)}: its lines must be {', '.join(KEYS)}")
            mutants.append(mutant)
    return mutants


def switched(number, mutant):
    """The text that replaces the expression or statement."""
    before, after = mutant["is"], mutant["becomes"]
    if mutant["file"].endswith(".py"):
        return f"_mutant({number}, lambda: ({before}), lambda: ({after}))"
    if after == "nothing":
        return f"MUTANT_LEFT_OUT({number}, {before});"
    return f"MUTANT({number}, {before}, {after})"


def with_switch(path, text):
    """The text of a file with the switch: in C it is the first header, behind macros of features."""
    if path.suffix == ".py":
        switch, place = "from dapbridge._mutant import mutant as _mutant", r"^(?=import |from (?!__future__))"
    else:
        switch, place = f'#include "{os.path.relpath(copy / "tests/mutants/mutant.h", path.parent)}"', r"^(?=#include )"
    if switch in text:
        return text
    return re.sub(place, switch + "\n", text, count=1, flags=re.MULTILINE)


def apply(number, mutant):
    """Puts one mutant into its file. Returns an error, or nothing."""
    path = copy / mutant["file"]
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    line = mutant["line"]
    if text.count(line) != 1 or line.count(mutant["is"]) != 1:
        return f"{mutant['mutant']}: {mutant['file']} must have its line once, and the line the expression"
    text = text.replace(line, line.replace(mutant["is"], switched(number, mutant)))
    path.write_text(with_switch(path, text), encoding="utf-8")
    return None


here = pathlib.Path(__file__).resolve().parent
copy = pathlib.Path(sys.argv[1]).resolve()
(copy / "bridge/python/dapbridge/_mutant.py").write_text((here / "mutant.py").read_text(encoding="utf-8"), encoding="utf-8")
mutants = read(here / "mutants.txt")
names = [mutant["mutant"] for mutant in mutants]
errors = [f"there are two mutants {name}" for name in sorted(set(names)) if names.count(name) > 1]
for number, mutant in enumerate(mutants, 1):
    error = apply(number, mutant)
    errors += [error] if error else []
    print(number, mutant["mutant"], mutant["file"])
if errors:
    sys.exit("mutants.txt: " + "\n             ".join(errors))
