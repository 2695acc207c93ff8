"""Configures Sphinx for the site: the pages of bridge/docs, and the pages that stage.py lays beside them."""
import os
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import draw
import guides
import names
import places
import stubs

import dapbridge
from docutils import nodes
from sphinx.domains.c import CFunctionObject, CMacroObject
from sphinx.search.en import SearchEnglish
from sphinx.util import logging
from sphinx.util.docfields import GroupedField

repository = here.parents[2]
logger = logging.getLogger(__name__)
stub = stubs.signatures(repository / "bridge/python/dapbridge/_core.pyi")
project = "dapbridge"
version = release = os.environ.get("DAP_SITE_VERSION", "")
author = "the authors of dapbridge"
copyright = ""
root_doc = "index"

# The parameters of C have no types beside their names, and some share a line: "from, to".
for c_object in CFunctionObject, CMacroObject:
    c_object.doc_field_types[0] = GroupedField("parameter", label="Parameters", names=("param",), can_collapse=True)

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
breathe_projects = {"dapbridge": os.environ.get("DAP_SITE_XML", "")}
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_default_project = "dapbridge"
default_role = "py:obj"
highlight_language = "none"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name.removeprefix("npt.") for name in (  # as they are called, not as the unions that they are
    "npt.ArrayLike", "npt.DTypeLike", "DistLike", "Dists", "LayoutLike", "Matrix", "NDArray", "Report")}
napoleon_use_ivar = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"dapbridge {version}"
html_static_path = [str(here / "static")]
html_css_files = ["site.css"]
html_search_scorer = str(here / "scorer.js")
SearchEnglish.stopwords = SearchEnglish.stopwords | set("how do does i my what can has give dapbridge".split())
html_copy_source = html_show_copyright = html_show_sphinx = False


def resolve_links(app, name, source):
    page = os.path.relpath(app.env.doc2path(name), app.srcdir)
    source[0] = places.resolved(source[0], page, repository, pathlib.Path(app.srcdir))
    if page == "index.md":
        readme = (repository / "README.md").read_text(encoding="utf-8").split("\n", 1)[1].split("## Install")[0]
        readme = places.resolved(readme, "README.md", repository, pathlib.Path(app.srcdir))
        source[0] = re.sub("<!-- here the site has README.md .*-->", lambda found: readme, source[0])


def add_words(app, doctree):
    """Words of the search's table become the page's keywords, so that it has them."""
    app.env.note_dependency(str(here / "scorer.js"))
    table = places.searched((here / "scorer.js").read_text(encoding="utf-8"))
    words = next(words for start, _, words in table if app.env.docname.startswith(start))
    if words:
        doctree.append(nodes.meta("", name="keywords", content=", ".join(words)))


def leave_colons(app, what, name, obj, options, lines):
    """Napoleon takes what is before a colon in a property's first line for its type."""
    if what == "property":
        lines.insert(0, "\\ ")


def leave_out_aliases(app, what, name, obj, options, lines):
    """Fields of named tuples, whose classes say what they are."""
    if lines and lines[0].startswith("Alias for field number"):
        lines.clear()


def sign(app, what, name, obj, options, signature, returns):
    """Of classes that say nothing of parameters functions make the objects; what is compiled has its signature in a stub."""
    if what == "class" and "Parameters\n" not in (obj.__doc__ or ""):
        return "", ""
    if hasattr(obj, "__code__") or hasattr(obj, "__func__"):
        return None  # Python's own: the namesake of Plan.halo in the stub is compiled
    return stub.get(name.removeprefix("dapbridge."))


def all_is_there(app, env):
    """The reference has all that the package exports."""
    known = env.get_domain("py").objects
    members = [f"Array.{name}" for name in dir(dapbridge.Array) if not name.startswith("_")]
    for name in [*dapbridge.__all__, *members]:
        if f"dapbridge.{name}" not in known:
            logger.warning("reference/python.md does not have dapbridge.%s", name)


def setup(app):
    app.connect("autodoc-process-docstring", leave_colons, priority=1)
    app.connect("autodoc-process-docstring", leave_out_aliases)
    app.connect("autodoc-process-signature", sign)
    app.connect("env-check-consistency", all_is_there)
    app.connect("source-read", resolve_links)
    app.connect("doctree-read", add_words)
    draw.setup(app)
    guides.setup(app)
    names.setup(app)
