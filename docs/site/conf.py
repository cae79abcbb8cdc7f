"""Configures Sphinx for the pages that tools/site/build.py prepares; nothing comes from another
host.
"""

import os
from pathlib import Path

from furo.navigation import get_navigation_tree

HERE = Path(__file__).resolve().parent

project = "Upsweep"
author = "the authors of Upsweep"
version = release = os.environ["UPSWEEP_VERSION"]
extensions = ["myst_parser", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4
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
    """Unfolds only the branch of the page: the whole navigation is 15 kB in each page."""
    if "toctree" in context:
        branch = context["toctree"](
            collapse=True, titles_only=True, maxdepth=-1, includehidden=True
        )
        context["furo_navigation_tree"] = get_navigation_tree(branch)


def setup(app):
    app.connect("html-page-context", show_this_branch, priority=900)
