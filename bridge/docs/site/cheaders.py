"""Makes a page for each public header: its first comment, and its declarations in their order, as Doxygen finds
them."""
import re
import xml.etree.ElementTree as tree

DIRECTIVES = {"function": "doxygenfunction", "enum": "doxygenenum", "typedef": "doxygentypedef", "define": "doxygendefine"}
HEADING = re.compile(r"/\* -{4} (.*?) -{4,} \*/")


def line_of(element):
    return int(element.find("location").get("line"))


def compound(xml, refid):
    return tree.parse(xml / f"{refid}.xml").getroot().find("compounddef")


def declared(xml, header):
    """(line, directive, name) of all that a header declares with a comment."""
    file = compound(xml, f"{header.stem.replace('_', '__')}_8h")
    for member in file.iter("memberdef"):
        name, kind = member.findtext("name"), member.get("kind")
        if kind == "enum" and (not name or name.startswith("@")):
            for value in member.iter("enumvalue"):
                yield line_of(member), "doxygenenumvalue", value.findtext("name")
        elif kind in DIRECTIVES:
            yield line_of(member), DIRECTIVES[kind], name
    for inner in file.iter("innerclass"):
        yield line_of(compound(xml, inner.get("refid"))), "doxygenstruct", inner.text


def directive(kind, name, *options):
    return [f".. {kind}:: {name}", "   :project: dapbridge", *options, ""]


def parts(xml, header):
    """(line, lines of the page) of all that a header declares, and of its headings."""
    for line, kind, name in declared(xml, header):
        yield line, directive(kind, name, *(["   :members:"] if kind == "doxygenstruct" else []))
    for line, text in enumerate(header.read_text(encoding="utf-8").split("\n"), 1):
        found = HEADING.match(text)
        if found:
            title = found[1][0].upper() + found[1][1:]
            yield line, [title, "-" * len(title), ""]


def page(xml, header):
    name = header.name
    lines = [name, "=" * len(name), "",
             *directive("doxygenfile", name, "   :sections: briefdescription detaileddescription"),
             ".. code-block:: c", "", f"   #include <dapbridge/{name}>", ""]
    for _, part in sorted(parts(xml, header), key=lambda part: part[0]):
        lines += part
    return "\n".join(lines)


def pages(repository, xml):
    headers = (repository / "include/dapbridge").glob("*.h")
    return {f"reference/c/{header.stem}.rst": page(xml, header) for header in headers}
