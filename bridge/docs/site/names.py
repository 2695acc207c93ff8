"""Links names in the pages to the reference: `dap_plan_run()` to C's or Fortran's, `a.gather()` and
`dapbridge.zeros()` to Python's.

A name in code within a sentence or a table becomes a link, unless it already is one. In pages about Fortran its
procedures come first."""
import re

from docutils import nodes
from sphinx.util.nodes import make_refnode

C_NAME = re.compile(r"(dap_\w+)(\(.*\))?$", re.S)
PYTHON_NAME = re.compile(r"\b(dapbridge\.[\w.]+)|(?<![\w.])(?!dapbridge\b)(\w+)\.(\w+)\(")
CLASSES = {"a": "Array", "b": "Array", "x": "Array", "plan": "Plan"}  # of the names that the pages' variables have
FORTRAN_PAGES = ("fortran", "tutorials/heat", "reference/fortran/index")


def fortran_places(env):
    """(page, anchor) of each procedure and type, by its name: they are the sections of their module's page."""
    places = {}
    for page in env.found_docs:
        if page.startswith("reference/fortran/"):
            for section in env.get_doctree(page).findall(nodes.section):
                places[section.next_node(nodes.title).astext()] = (page, section["ids"][0])
    return places


def places_of(env):
    """The places of all names: C's and Fortran's by their names, Python's by their full ones."""
    c = {name: (page, anchor) for name, _, kind, page, anchor, _ in env.get_domain("c").get_objects()
         if name.startswith("dap_") and kind in ("function", "struct", "enum", "type", "macro")}
    python = {name: (entry.docname, entry.node_id) for name, entry in env.get_domain("py").objects.items()}
    return c, fortran_places(env), python


def find(text, page, places):
    """The place of the name that a piece of code has; None: it has none, or one that is not in the reference."""
    c, fortran, python = places
    found = C_NAME.match(text)
    if found:
        first, second = (fortran, c) if page in FORTRAN_PAGES else (c, fortran)
        return first.get(found[1]) or second.get(found[1])
    for found in PYTHON_NAME.finditer(text):
        name = found[1].rstrip(".") if found[1] else f"dapbridge.{CLASSES.get(found[2], found[2])}.{found[3]}"
        if name in python:
            return python[name]
    return None


def link(app, doctree, page):
    env = app.env
    if not hasattr(env, "dap_places"):
        env.dap_places = places_of(env)
    for code in list(doctree.findall(nodes.literal)):
        inside = code.parent
        while inside is not None and not isinstance(inside, (nodes.reference, nodes.title)):
            inside = inside.parent
        place = None if inside is not None else find(code.astext(), page, env.dap_places)
        if place and place[0] != page:
            reference = make_refnode(app.builder, page, *place, code.deepcopy(), code.astext())
            code.replace_self(reference)


def setup(app):
    app.connect("doctree-resolved", link)
