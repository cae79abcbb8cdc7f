"""Configures Sphinx for the pages that tools/site/build.py prepares; nothing comes from another
host.
"""

import html
import json
import os
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).resolve().parent

project = "Upsweep"
author = "the authors of Upsweep"
version = release = os.environ["UPSWEEP_VERSION"]
extensions = ["myst_parser", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4
# Where the files of the tree can be seen, if anywhere: the address before their path.
SOURCES = os.environ.get("UPSWEEP_SOURCES", "")

# Files that Sphinx only copies are linked as site:PATH.
myst_url_schemes = {"http": None, "https": None, "mailto": None, "site": "{{path}}"}
suppress_warnings = ["toc.empty_glob"]
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
highlight_language = "text"

smartquotes = False  # options and conditions are copied from pages into a shell

html_theme = "furo"
html_title = "Upsweep"
html_favicon = str(HERE / "favicon.svg")
templates_path = [str(HERE / "templates")]
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(HERE / "scorer.js")
html_extra_path = [os.environ["UPSWEEP_EXTRA"]]
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_permalinks_icon = "#"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#005a8c",
        "color-brand-content": "#005a8c",
        "color-brand-visited": "#005a8c",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cc0f0",
        "color-brand-content": "#6cc0f0",
        "color-brand-visited": "#6cc0f0",
    },
    "navigation_with_keys": True,
}


def show_this_branch(app, page, template, context, doctree):
    """Unfolds only the branch of the page: the whole navigation is 15 kB in each page. The theme
    asks for the whole.
    """
    if whole := context.get("toctree"):
        context["toctree"] = lambda **options: whole(**options | {"collapse": True})


def first_sentences(doctree, most=200):
    """The beginning of the page's prose, for previews and results of web searches. If there is
    little before the first heading, the headings follow.
    """
    top = next(doctree.findall(nodes.section), doctree)
    words = [child.astext() for child in top.children if isinstance(child, nodes.paragraph)]
    if sum(map(len, words)) < most / 2:
        heads = [part.next_node(nodes.title) for part in top.children if part.tagname == "section"]
        words.append(", ".join(head.astext() for head in heads if head))
    text = " ".join(" ".join(words).split())
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"


def describe(app, page, template, context, doctree):
    """Gives the page a description, what previews of links show, and the name of its source."""
    if doctree is None:
        return
    text = html.escape(first_sentences(doctree) or context["title"])
    title = html.escape(context["title"])
    context["metatags"] = (
        f'<meta name="description" property="og:description" content="{text}">'
        f'<meta property="og:title" content="{title}"><meta property="og:type" content="article">'
        f'<meta property="og:site_name" content="Upsweep">'
    )
    if path := sources_of(app.srcdir).get(page):
        context["page_source"], context["page_source_address"] = path, SOURCES and SOURCES + path


def sources_of(folder, read={}):  # noqa: B006, read once
    if not read:
        read.update(json.loads((Path(folder) / "sources.json").read_text()))
    return read


def setup(app):
    app.connect("html-page-context", show_this_branch, priority=100)
    app.connect("html-page-context", describe)
