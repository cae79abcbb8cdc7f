"""The pages that show a file of the tree, or list a folder: plain and light, without navigation."""

import bz2
import html
import posixpath
import re

from links import ROOT
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.styles import get_style_by_name
from pygments.token import Comment, Keyword, String
from pygments.util import ClassNotFound

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path} · Upsweep</title>
<link rel="stylesheet" href="{root}source.css">
</head>
<body>
<header><a href="{root}index.html">Upsweep</a><h1>{path}</h1></header>
<main>
{body}
</main>
</body>
</html>
"""
TOKEN = re.compile(r'<span class="(\w)\w*">([^<]*)</span>')
# Comments, keywords and strings have a color, by the shortest element: spans would be half of the
# site's sources.
ELEMENTS = {"c": ("i", Comment), "k": ("b", Keyword), "s": ("u", String)}
STYLE = """:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #fff; color: #1b1f24; }
header { padding: 0.6rem 1rem; border-bottom: 1px solid #8888; overflow-wrap: anywhere; }
header a { color: #005a8c; }
h1 { font-size: 1.1rem; margin: 0.3rem 0 0; }
@media (prefers-color-scheme: dark) {
  body { background: #14171b; color: #e6e9ed; }
  header a { color: #6cc0f0; }
}
i, b, u { font: inherit; text-decoration: none; }
pre { font: 0.85rem/1.45 ui-monospace, monospace; margin: 0; padding: 1rem; overflow-x: auto; }
"""


def colors(name):
    of = get_style_by_name(name).style_for_token
    return "\n".join(
        f"{tag} {{ color: #{of(token)['color']}; }}" for tag, token in ELEMENTS.values()
    )


def style():
    light, dark = (colors(f"github-{name}-high-contrast") for name in ("light", "dark"))
    return f"{STYLE}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def element(token):
    tag = ELEMENTS.get(token[1], ("",))[0]
    return f"<{tag}>{token[2]}</{tag}>" if tag else token[2]


def lexer(path):
    try:
        return get_lexer_for_filename(path.replace(".inl", ".hpp").removesuffix(".bz2"))
    except ClassNotFound:
        return TextLexer()


def body(path):
    if (ROOT / path).is_dir():
        files = sorted(p.relative_to(ROOT / path) for p in (ROOT / path).rglob("*") if p.is_file())
        return "<pre>" + html.escape("\n".join(map(str, files))) + "</pre>"
    stored = (ROOT / path).read_bytes()
    text = (bz2.decompress(stored) if path.endswith(".bz2") else stored).decode()
    code = highlight(text, lexer(path), HtmlFormatter(nowrap=True))
    code = TOKEN.sub(element, code)
    return f'<pre tabindex="0">{code}</pre>'


def add(site):
    """A page for each file that the pages link to and that is no page itself."""
    for path in sorted(site.links.shown):
        page = f"source/{path}.html"
        root = posixpath.relpath(".", posixpath.dirname(page)) + "/"
        text = PAGE.format(path=html.escape(path), root=root, body=body(path))
        site.put(site.extra / page, text.encode())
    site.put(site.extra / "source.css", style().encode())
