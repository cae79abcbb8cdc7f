"""Makes what Sphinx wrote lighter: pages without indentation, without what tables repeat in every
row and cell and what has no color, and with the theme's icons in a file that all pages share; one
file of styles and one of scripts for all pages, without maps of their sources.
"""

import json
import re

from check import Page

AS_IT_IS = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
ICONS = re.compile(r'<svg [^>]*style="display: none;">.*?</symbol>\s*</svg>', re.S)
COLORS = re.compile(r"<style>(\s*body \{.*?)</style>", re.S)
# Names, operators, punctuation and blanks of code have the color of text.
UNCOLORED = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
# The pictures in buttons for the theme: site.js puts them there, which the buttons need anyway.
THEMES = re.compile(
    r'(<button class="theme-toggle"[^>]*>)\s*((?:<svg[^>]*><use[^>]*></use></svg>\s*)+)'
)
SOURCE_MAP = re.compile(r"(?://|/\*)# sourceMappingURL=\S+(?: ?\*/)?\s*")
CHANGES = [
    (re.compile(r"<thead>\s*<tr[^>]*>(?:<th[^>]*>(?:<p></p>)?</th>\s*)+</tr>\s*</thead>"), ""),
    (re.compile(r"<th([^>]*)>(?:<p></p>)?</th>"), r"<td\1></td>"),  # no header has no text
    (re.compile(r'<span class="pre">([^<]*)</span>'), r"\1"),
    (re.compile(r"\s*\n\s*"), "\n"),
    (re.compile(r' class="row-(?:even|odd)"'), ""),
    (re.compile(r"<(t[dh])([^>]*)><p>((?:(?!</?p[ >]).)*?)</p></\1>", re.S), r"<\1\2>\3</\1>"),
    # Words of classes that no style uses, and ends of elements that HTML lets out.
    (re.compile(r' class="docutils literal notranslate"'), ""),  # see STYLED
    (re.compile(r' class="reference (?:internal|download internal|external)"'), ""),
    (re.compile(r' class="current reference internal"'), ' class="current"'),
    (re.compile(r'(?<=<a class="headerlink") ([^>]*?) title="[^"]*"'), r" \1"),  # site.js has it
    (re.compile(r"<!-- Generated with [^>]*-->"), ""),
    (re.compile(r'<span class="std std-\w+">([^<]*)</span>'), r"\1"),
    (re.compile(r'(<t[dh]) class="text-left"'), r"\1"),
    (re.compile(r'(<t[dh]) class="text-right"'), r"\1 class=r"),
    (
        re.compile(r' class="table-wrapper colwidths-auto docutils container"'),
        " class=table-wrapper",
    ),
    (re.compile(r"\s*</li>(?=\s*(?:<li\b|</[uo]l>))"), ""),
    (re.compile(r"\s*</t[dhr]>(?=\s*<(?:t[dhr]\b|/t(?:r|head|body)>))"), ""),
    (re.compile(r'<meta name="viewport" content="width=device-width,initial-scale=1">'), ""),
]


# The theme's names for code in lines and for links, which CHANGES takes away.
STYLED = [
    (re.compile(r"\bcode\.literal(?![\w-])"), "code:not(.literal)"),
    (re.compile(r"(?:\ba)?\.reference(?![\w.-])"), "a:not(.reference)"),
]
# Files of styles, and of scripts at the end of a page, which become one each.
SHEETS = re.compile(r'<link rel="stylesheet"[^>]*href="[^"]*_static/([\w./-]+)[^"]*"[^>]*>\s*')
SCRIPTS = re.compile(
    r'<script[^>]*src="[^"]*_static/((?:documentation_options|doctools|sphinx_highlight|'
    r'scripts/furo|design-tabs|site)\.js)[^"]*"[^>]*></script>\s*'
)
PICTURE = re.compile(r'<img (?=[^>]*src="(?:[^"]*/)?([^/"]+\.svg)")')
WIDTH = re.compile(r'<svg [^>]*viewBox="0 0 (\d+)')


def wide_pictures(folder):
    """The names of pictures whose text is too small on a phone unless they scroll."""
    for path in folder.glob("*.svg"):
        found = WIDTH.search(path.read_text())
        if found and int(found[1]) > 800:
            yield path.name


def with_one(pattern, page, link, files):
    """The page with one link instead of those to several files, whose names `files` gets."""
    found = list(pattern.finditer(page))
    for match in found:
        files.setdefault(match[1])
    for match in found[:0:-1]:
        page = page[: match.start()] + page[match.end() :]
    return page.replace(found[0][0], link) if found else page


def lighter(page, root, shared, wide):
    """The page; `shared` gets the icons, colors, styles and scripts of all pages, which it loads
    from files of `root`. Pictures in `wide` get a class for phones.
    """
    static = f"{root}_static"
    if found := ICONS.search(page):
        shared.setdefault("icons", found[0])
        page = page.replace(found[0], f'<script src="{static}/icons.js"></script>')
    if found := COLORS.search(page):
        shared.setdefault("colors", found[1])
        page = page.replace(found[0], "")
    styles = f'<link rel="stylesheet" href="{static}/all.css">\n'
    page = with_one(SHEETS, page, styles, shared.setdefault("sheets", {}))
    scripts = f'<script src="{static}/all.js"></script>\n'
    page = with_one(SCRIPTS, page, scripts, shared.setdefault("scripts", {}))
    page = THEMES.sub(r"\1", page)
    parts = AS_IT_IS.split(page)
    for i in range(0, len(parts), 3):
        for pattern, to in CHANGES:
            parts[i] = pattern.sub(to, parts[i])
        parts[i] = PICTURE.sub(lambda m: m[0] + 'class="wide" ' * (m[1] in wide), parts[i])
    for i in range(1, len(parts), 3):
        parts[i] = UNCOLORED.sub(r"\1", parts[i]).replace("<pre><span></span>", "<pre>", 1)
    return "".join(part for i, part in enumerate(parts) if i % 3 != 2)


def lighten(out):
    """All pages but those that were only copied, and the theme's files."""
    shared, wide, static = {}, set(wide_pictures(out / "_images")), out / "_static"
    for path in out.rglob("*.html"):
        name = path.relative_to(out)
        if name.parts[0] not in ("traces", "404.html"):
            root = "../" * (len(name.parts) - 1)
            path.write_text(lighter(path.read_text(), root, shared, wide))
    icons = json.dumps(shared["icons"])
    (static / "icons.js").write_text(
        f'document.currentScript.insertAdjacentHTML("beforebegin", {icons});\n'
    )
    styles = [*((static / name).read_text() for name in shared["sheets"]), shared["colors"]]
    (static / "all.css").write_text(together(styles, STYLED))
    (static / "all.js").write_text(
        together(((static / name).read_text() for name in shared["scripts"]), [])
    )
    remove_unused(out)


def together(files, changes):
    """One file of several, without the names of their maps."""
    text = "\n".join(SOURCE_MAP.sub("", text) for text in files)
    for pattern, to in changes:
        text = pattern.sub(to, text)
    return text


def remove_unused(out):
    """Removes the theme's files that no page loads, except licenses."""
    loaded = {
        load.partition("?")[0].rpartition("_static/")[2]
        for path in out.rglob("*.html")
        for load in Page(path.read_text()).loads
    }
    for path in (out / "_static").rglob("*"):
        name = path.relative_to(out / "_static").as_posix()
        if path.is_file() and name not in loaded and path.suffix != ".txt":
            path.unlink()
    (out / "_static" / "styles").rmdir()
