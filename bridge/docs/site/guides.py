"""Links the guides that comments of headers name, such as bridge/docs/linalg.md, "Eigenvalues". The links show titles."""
import re

from docutils import nodes
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

GUIDE = re.compile(r'(?:bridge/)?docs/([\w-]+)\.md(?:, [“"]([^”"]+)[”"])?')
logger = logging.getLogger(__name__)


def anchor_of(env, page, title):
    """The anchor of a section, "" without a title; None: the page or the section does not exist."""
    if page not in env.found_docs:
        return None
    if not title:
        return ""
    sections = env.get_doctree(page).findall(nodes.section)
    return next((s["ids"][0] for s in sections if s.next_node(nodes.title).astext() == title), None)


def linked(app, page, text):
    """The nodes that a text becomes."""
    made, at = [], 0
    for found in GUIDE.finditer(text):
        guide, title = found[1], (found[2] or "").replace("\n", " ")
        anchor = anchor_of(app.env, guide, title)
        if anchor is None:
            logger.warning("%s names what no guide has: %s", page, found[0])
            continue
        shown = app.env.titles[guide].astext() + (f', “{title}”' if title else '')
        made += [nodes.Text(text[at : found.start()]),
                 make_refnode(app.builder, page, guide, anchor, nodes.Text(shown))]
        at = found.end()
    return [*made, nodes.Text(text[at:])]


def link(app, doctree, page):
    if not page.startswith("reference/c/"):
        return
    for text in list(doctree.findall(nodes.Text)):
        if GUIDE.search(text):
            text.parent.replace(text, linked(app, page, text))


def setup(app):
    app.connect("doctree-resolved", link)
