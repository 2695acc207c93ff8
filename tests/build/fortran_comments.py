"""Checks that each public name of the Fortran modules has a comment. A comment must also describe each argument of a
procedure and each public member of a type: on its own line, above it, or by its name in the comment of the procedure or
the module. A procedure's comment describes its result. The modules are read in the same way as for the reference.

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


comments = defaultdict(list)  # by name; a module can make the names of another one public
declarations = []  # source, name, comment of the module, lines of a declaration
public = {}  # by source
table = bindings.read_table(repository / "bridge/linalg/bindings.txt")
for path in sorted((repository / "bridge/fortran").rglob("*.[fF]90")):
    source, text = path.relative_to(repository), "\n".join(bindings.fortran(table, path)) + "\n"
    code = list(fortran.statements(text))
    public[source] = fortran.public_names(text)
    for name, said, shown in fortran.found_in(code, public[source]):
        if name:
            declarations.append((source, name, code[0][0], shown))
        for each in [name] if name else re.findall(r"\bDAP_\w+", " ".join(shown), re.I):
            comments[each.lower()] += said

missing = set()
for source, names in public.items():
    missing |= {f"{source}: no comment describes {name}" for name in names if not comments[name.lower()]}
for source, name, of_module, shown in declarations:
    for each in undescribed(" ".join(of_module + comments[name.lower()]), shown):
        missing.add(f"{source}: {name}: no comment describes {each}")
for line in sorted(missing):
    print(line)
sys.exit(len(missing) > 0)
