"""The site: Sphinx over the pages of bridge/docs, and what stage.py lays beside them."""
import os
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import draw
import places

repository = here.parents[2]
project = "dapbridge"
version = release = os.environ.get("DAP_SITE_VERSION", "")
author = "the authors of dapbridge"
copyright = ""
root_doc = "index"

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
napoleon_use_ivar = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"dapbridge {version}"
html_static_path = [str(here / "static")]
html_css_files = ["site.css"]
html_copy_source = html_show_copyright = html_show_sphinx = False


def resolve_links(app, name, source):
    page = os.path.relpath(app.env.doc2path(name), app.srcdir)
    if not (pathlib.Path(app.srcdir) / "coming").exists():
        source[0] = re.sub(r"```\{toctree\}[^`]*\ncoming/[^`]*```", "", source[0])
    source[0] = places.resolved(source[0], page, repository, pathlib.Path(app.srcdir))


def leave_colons(app, what, name, obj, options, lines):
    """Napoleon takes what is before a colon in a property's first line for its type."""
    if what == "property":
        lines.insert(0, "\\ ")


def hide_constructor(app, what, name, obj, options, signature, returns):
    """Of classes that say nothing of parameters: functions make their objects."""
    return ("", "") if what == "class" and "Parameters\n" not in (obj.__doc__ or "") else None


def setup(app):
    app.connect("autodoc-process-docstring", leave_colons, priority=1)
    app.connect("autodoc-process-signature", hide_constructor)
    app.connect("source-read", resolve_links)
    draw.setup(app)
