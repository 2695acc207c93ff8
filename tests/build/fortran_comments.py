"""Checks that each public name of the Fortran modules has a comment. Each argument of a procedure and each public member
of a type must have one too: on its own line, above it, or by its name in the comment of the procedure or the module. A
procedure's comment describes its result. The modules are read in the same way as for the reference.

    python3 fortran_comments.py <project>      prints the names without a comment
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

repository = Path(sys.argv[1])
sys.path += [str(repository / "cmake"), str(repository / "bridge/docs/site")]
import bindings
import fortran


def undescribed(comment, shown):
    """Returns the names in declarations that neither this comment nor one of their own describes."""
    code, names = list(fortran.statements("\n".join(shown))), set()
    results = re.findall(r"\bresult\((\w+)\)", shown[0].lower())
    for own, statement, lines in code:
        is_described = own or any("!<" in line for line in lines)
        if "::" in statement and not is_described and not fortran.TYPE.match(statement):
            names |= {name for name in fortran.declared(statement) if not re.search(rf"\b{name}\b", comment, re.I)}
    return names.difference(results)


def check(text):
    """Returns what has no comment in a module."""
    code = list(fortran.statements(text))
    public = fortran.public_names(text)
    comments, declarations = defaultdict(list), defaultdict(list)
    for name, said, shown in fortran.found_in(code, public):
        if name:
            declarations[name.lower()].append(shown)
        for each in [name] if name else re.findall(r"\bDAP_\w+", " ".join(shown), re.I):
            comments[each.lower()] += said
    missing = [name for name in public if not comments[name.lower()]]
    for name, all_shown in declarations.items():
        comment = " ".join(code[0][0] + comments[name])
        missing += [f"{name}: {each}" for shown in all_shown for each in undescribed(comment, shown)]
    return missing


table = bindings.read_table(repository / "bridge/linalg/bindings.txt")
failed = False
for source in sorted((repository / "bridge/fortran").rglob("*.[fF]90")):
    for name in sorted(set(check("\n".join(bindings.fortran(table, source)) + "\n"))):
        print(f"{source.relative_to(repository)}: no comment describes {name}")
        failed = True
sys.exit(failed)
