"""Makes a page for each Fortran module, of its comments and the declarations that callers need."""
import re
import sys
from pathlib import Path

import prose

sys.path.append(str(Path(__file__).resolve().parents[3] / "cmake"))
import bindings

PROCEDURE = re.compile(r"^(?:[\w(), ]* )?(subroutine|function) +(dap_\w+)\(([^)]*)\)", re.I)
TYPE = re.compile(r"^type\b.*:: *(dap_\w+)$", re.I)
GENERIC = re.compile(r"^interface +(dap_\w+)$", re.I)
API = re.compile(r"^DAP_API [^;(]*?\b(\w+)\(", re.M)  # in a header
CONSTANTS = re.compile(r"^[\w ]+, parameter, public :: *(DAP_\w+)", re.I)


def statements(text):
    """(comment above, statement, lines of it) one after the other; continued lines are joined for the statement."""
    said, lines = [], []
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("!>"):
            said.append(bare[2:].removeprefix(" "))
        elif not bare or bare.startswith(("!", "#")):
            said = said if not bare.startswith("!") else []
            said = [] if not bare else said
        else:
            lines.append(line)
            if not re.sub(r"!.*", "", bare).rstrip().endswith("&"):
                joined = " ".join(re.sub(r"!<?.*", "", l).strip().removesuffix("&").strip() for l in lines)
                yield said, joined, lines
                said, lines = [], []


def dedent(lines):
    width = len(lines[0]) - len(lines[0].lstrip())
    return [line[width:] if line[:width].isspace() or not width else line.lstrip() for line in lines]


def public_names(text):
    """Those of public statements, and of types and constants that say so themselves."""
    joined = re.sub(r"&[^\n]*\n *", " ", text)
    names = set()
    for found in re.finditer(r"^ *public ::([^\n!]*)|^ *[\w(), ]*\bpublic\b[\w(), ]*::([^\n]*)", joined, re.M):
        names.update(re.findall(r"\b(dap_\w+)", found[1] or found[2], re.I))
    return names


def beneath(said, lines):
    """A declaration's lines beneath the comment above it."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return [f"{indent}!> {line}" for line in said] + lines


def declared(statement):
    """The names that a declaration is of, without extents and values."""
    names = re.sub(r"\([^()]*(\([^()]*\)[^()]*)*\)", "", statement.split("::", 1)[1])
    return {name.split("=")[0].strip().lower() for name in names.split(",")}


def declaration(code, start):
    """A procedure as a caller sees it: its statement, the declarations of its arguments, its end."""
    _, head, lines = code[start]
    kind, name, arguments = PROCEDURE.match(head).groups()
    wanted = set(re.findall(r"\w+", arguments.lower())) | set(re.findall(r"result\((\w+)\)", head.lower()))
    shown = list(lines)
    for said, statement, more in code[start + 1 :]:
        if re.match(rf"end {kind}\b", statement, re.I):
            break
        if "::" in statement and wanted & declared(statement):
            shown += beneath(said, more)
    return dedent(shown) + [f"end {kind}"]


def body(code, start, end):
    """From a statement to the one that ends it."""
    shown = []
    for number, (said, statement, lines) in enumerate(code[start:]):
        if not re.match(r"(contains|final ::|generic ::|procedure\b.*, private|.*, private ::)", statement):
            shown += beneath(said if number else [], lines)
        if re.match(end, statement, re.I):
            break
    return dedent(shown)


def specifics(code, start):
    names = []
    for _, statement, _ in code[start + 1 :]:
        if statement.lower().startswith("end interface"):
            return names
        names += re.findall(r"\w+", statement.lower().split("procedure", 1)[-1])
    return names


def found_in(code, public):
    """(title, comment, declaration) of what a module has for callers."""
    for number, (said, statement, lines) in enumerate(code):
        procedure, kind, generic, constants = (p.match(statement) for p in (PROCEDURE, TYPE, GENERIC, CONSTANTS))
        if procedure and procedure[2] in public:
            yield procedure[2], said, declaration(code, number)
        elif kind and kind[1] in public:
            yield kind[1], said, body(code, number, "end type")
        elif generic and generic[1] in public:
            shown = []
            for name in specifics(code, number):
                at = [k for k, (_, s, _) in enumerate(code) if re.search(rf"(subroutine|function) +{name}\(", s, re.I)]
                said_there, head, lines_there = code[at[-1]]
                renamed = [re.sub(rf"\b{name}\b", generic[1], line) for line in lines_there]
                head = re.sub(rf"\b{name}\b", generic[1], head)
                shown += declaration([*code[: at[-1]], (said_there, head, renamed), *code[at[-1] + 1 :]], at[-1]) + [""]
            yield generic[1], said, shown
        elif constants:
            yield None, said, dedent(lines)


def page(source, functions, table):
    text = "\n".join(bindings.fortran(table, source)) + "\n"
    code = list(statements(text))
    title = re.search(r"^module (\w+)", text, re.M)[1]
    lines = [title, "=" * len(title), *prose.as_rst(code[0][0], functions), ""]
    for name, said, shown in found_in(code, public_names(text)):
        lines += [name, "-" * len(name), ""] if name else []
        lines += [*prose.as_rst(said, functions), "", ".. code-block:: fortran", "", *("   " + l for l in shown), ""]
        lines += [f"In C: :c:func:`{name}`.", ""] if name in functions else []
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def functions_of(folder):
    """Names of all functions that headers declare."""
    return {name for header in folder.glob("*.h") for name in API.findall(header.read_text(encoding="utf-8"))}


def pages(repository):
    functions = functions_of(repository / "include/dapbridge")
    sources = [path for path in (repository / "bridge/fortran").rglob("*.[fF]90") if path.stem != "dapbridge"]
    table = bindings.read_table(repository / "bridge/linalg/bindings.txt")
    modules = [path for path in sources if public_names("\n".join(bindings.fortran(table, path)))]
    return {f"reference/fortran/{path.stem}.rst": page(path, functions, table) for path in modules}
