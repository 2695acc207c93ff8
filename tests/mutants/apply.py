"""Puts all mutants of mutants.txt into a scratch copy of the sources: apply.py <copy>. Prints their numbers and names.

A mutant that does not fit the sources any more is an error."""
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
    """What stands in the place of the expression or statement."""
    before, after = mutant["is"], mutant["becomes"]
    if mutant["file"].endswith(".py"):
        return f"_mutant({number}, lambda: ({before}), lambda: ({after}))"
    if after == "nothing":
        return f"MUTANT_LEFT_OUT({number}, {before});"
    return f"MUTANT({number}, {before}, {after})"


def apply(copy, number, mutant):
    path = copy / mutant["file"]
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    line = mutant["line"]
    if text.count(line) != 1 or line.count(mutant["is"]) != 1:
        sys.exit(f"mutants.txt: {mutant['mutant']}: {mutant['file']} must have its line once, and the line the expression")
    text = text.replace(line, line.replace(mutant["is"], switched(number, mutant)))
    if path.suffix == ".py" and "import mutant as _mutant" not in text:
        text = re.sub(r"^(?=import |from (?!__future__))", "from dapbridge._mutant import mutant as _mutant\n", text, count=1, flags=re.M)
    path.write_text(text, encoding="utf-8")


here = pathlib.Path(__file__).resolve().parent
copy = pathlib.Path(sys.argv[1])
(copy / "bridge/python/dapbridge/_mutant.py").write_text((here / "mutant.py").read_text(encoding="utf-8"), encoding="utf-8")
names = set()
for number, mutant in enumerate(read(here / "mutants.txt"), 1):
    if mutant["mutant"] in names:
        sys.exit(f"mutants.txt: there are two mutants {mutant['mutant']}")
    names.add(mutant["mutant"])
    apply(copy, number, mutant)
    print(number, mutant["mutant"], mutant["file"])
