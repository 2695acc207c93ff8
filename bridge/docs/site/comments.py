"""Doxygen's filter for the public headers, whose comments are plain: /* before a declaration, or behind a member.

comments.py <header>: prints the header with Doxygen's marks, and the comments' text as reStructuredText for Breathe."""
import pathlib
import re
import sys

import prose

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
OPAQUE = re.compile(r"^(?:typedef )?struct \w+(?: \w+)?; \Z", re.M)
API = r"DAP_API [^;(]*?\b(\w+)\("


def functions_of(folder):
    """Names of all functions that headers declare."""
    names = set()
    for header in folder.glob("*.h"):
        code = COMMENT.sub("", header.read_text(encoding="utf-8"))
        names.update(re.findall("^" + API, code, re.M))
    return names


def lines_of(comment):
    """Its text, line by line, without stars in front."""
    return [re.sub(r"^\s*\* ?", "", line) if number else line.strip() for number, line in enumerate(comment.split("\n"))]


def is_heading(comment):
    return comment.startswith(" ----")


def is_behind(code, found):
    """Whether there is code before it on its line: it is about that."""
    return bool(code[code.rfind("\n", 0, found.start()) + 1 : found.start()].strip())


def stands_alone(code, found):
    """Whether it is about no declaration: below the header's first comment, with an empty line behind it."""
    at_margin = found.start() > 0 and code[found.start() - 1] == "\n"
    return at_margin and not is_heading(found[1]) and bool(re.match(r"\n\n|\n#ifndef|\nenum \{", code[found.end() :]))


def marked(lines, mark, functions):
    return "\n".join([f"/**{mark}", r"\verbatim embed:rst", *prose.as_rst(lines, functions), r"\endverbatim", "*/"])


def filtered(code, functions):
    out, at, first = [], 0, ""
    for found in COMMENT.finditer(code):
        out.append(with_reference(code[at : found.start()], first))
        at, first = found.end(), ""
        if found[1].startswith("*"):
            out.append(found[0])
            continue
        if found.start() == 0 or is_heading(found[1]) or stands_alone(code, found) or OPAQUE.search(code, 0, found.start()):
            continue
        out.append(marked(lines_of(found[1]), "<" if is_behind(code, found) else "", functions))
        following = re.match(r"\s*" + API, code[at:])
        first = following[1] if following else ""
    out.append(with_reference(code[at:], first))
    return "".join(out)


def with_reference(code, first):
    """Functions that follow the one which a comment is before, without an empty line between, are told to be there."""
    if not first:
        return code
    group, *rest = code.split("\n\n", 1)
    see = "\n".join(["", r"/** \verbatim embed:rst", f"See :c:func:`{first}`.", r"\endverbatim */", "DAP_API "])
    head, tail = group[: group.index(first)], group[group.index(first) :]
    return "\n\n".join([head + tail.replace("\nDAP_API ", see), *rest])


if __name__ == "__main__":
    header = pathlib.Path(sys.argv[1])
    sys.stdout.write(filtered(header.read_text(encoding="utf-8"), functions_of(header.parent)))
