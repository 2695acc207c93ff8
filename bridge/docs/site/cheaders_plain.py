"""A page for each public header: what it says at its top, and what it declares, in its order, as Doxygen has it."""
import re
import xml.etree.ElementTree as tree

import comments
import prose

DIRECTIVES = {"function": "doxygenfunction", "enum": "doxygenenum", "typedef": "doxygentypedef", "define": "doxygendefine"}
NAMELESS = re.compile(r"^enum \{.*?\};", re.M | re.S)
HEADING = re.compile(r"/\* -{4} (.*?) -{4,} \*/")


def declared(xml, header):
    """(directive, name) of all that a header declares."""
    file = tree.parse(xml / f"{header.stem.replace('_', '__')}_8h.xml").getroot().find("compounddef")
    for member in file.iter("memberdef"):
        name, kind = member.findtext("name"), member.get("kind")
        if kind == "define" and not re.match(r"DAP\w*_(VERSION|ABSENT|VIEW)", name):
            continue
        if kind in DIRECTIVES and name and not name.startswith("@"):
            yield DIRECTIVES[kind], name
    for inner in file.iter("innerclass"):
        yield "doxygenstruct", inner.text


def directive(kind, name):
    return [f".. {kind}:: {name}", "   :project: dapbridge", *(["   :members:", "   :undoc-members:"] if kind == "doxygenstruct" else []), ""]


def parts(header, xml, functions):
    """(where, lines) of all that the page has of a header."""
    text = header.read_text(encoding="utf-8")
    blank = lambda found: " " * len(found[0])
    code = re.sub(r"#define dap_.*", blank, comments.COMMENT.sub(lambda f: re.sub(r"[^\n]", " ", f[0]), text))
    for kind, name in declared(xml, header):
        yield re.search(rf"\b{name}\b", code).start(), directive(kind, name)
    for found in NAMELESS.finditer(text):
        yield found.start(), [".. code-block:: c", "", *("   " + line for line in found[0].split("\n")), ""]
    for found in HEADING.finditer(text):
        title = found[1][0].upper() + found[1][1:]
        yield found.start(), [title, "-" * len(title), ""]
    for found in comments.COMMENT.finditer(text):
        if comments.stands_alone(text, found):
            yield found.start(), prose.as_rst(comments.lines_of(found[1]), functions)


def page(header, xml, functions):
    text = header.read_text(encoding="utf-8")
    top = comments.lines_of(comments.COMMENT.match(text)[1])
    top[0] = re.sub(r"^dapbridge/\w+\.h: ", "", top[0].strip())
    top[0] = top[0][0].upper() + top[0][1:]
    lines = [header.name, "=" * len(header.name), *prose.as_rst(top, functions), "", ".. code-block:: c", "",
             f"   #include <dapbridge/{header.name}>", ""]
    for _, part in sorted(parts(header, xml, functions)):
        lines += part
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def pages(repository, xml):
    folder = repository / "include/dapbridge"
    functions = comments.functions_of(folder)
    return {f"reference/c/{header.stem}.rst": page(header, xml, functions) for header in sorted(folder.glob("*.h"))}
