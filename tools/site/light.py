"""Makes what Sphinx wrote lighter: pages without indentation, without what tables repeat in every
row and cell and what has no color, and with the theme's icons and colors in files that all pages
share; styles and scripts without maps of their sources.
"""

import json
import re

AS_IT_IS = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
ICONS = re.compile(r'<svg [^>]*style="display: none;">.*?</symbol>\s*</svg>', re.S)
COLOURS = re.compile(r"<style>(\s*body \{.*?)</style>", re.S)
# Names, operators, punctuation and blanks of code have the color of text.
UNCOLOURED = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')
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
    (re.compile(r' class="docutils literal notranslate"'), ' class="literal"'),
    (re.compile(r' class="reference (?:internal|download internal)"'), ' class="reference"'),
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


PICTURE = re.compile(r'<img (?=[^>]*src="(?:[^"]*/)?([^/"]+\.svg)")')
WIDTH = re.compile(r'<svg [^>]*viewBox="0 0 (\d+)')


def wide_pictures(folder):
    """The names of pictures whose text is too small on a phone unless they scroll."""
    for path in folder.glob("*.svg"):
        found = WIDTH.search(path.read_text())
        if found and int(found[1]) > 800:
            yield path.name


def lighter(page, root, shared, wide):
    """The page; `shared` gets the icons and colors, for which the page loads files of `root`.
    Pictures in `wide` get a class for phones.
    """
    for part, name, link in (
        (ICONS, "icons.js", '<script src="{}"></script>'),
        (COLOURS, "colours.css", '<link rel="stylesheet" href="{}">'),
    ):
        if found := part.search(page):
            shared.setdefault(name, found[found.lastindex or 0])
            if shared[name] == found[found.lastindex or 0]:
                page = page.replace(found[0], link.format(f"{root}_static/{name}"))
    page = THEMES.sub(r"\1", page)
    parts = AS_IT_IS.split(page)
    for i in range(0, len(parts), 3):
        for pattern, to in CHANGES:
            parts[i] = pattern.sub(to, parts[i])
        parts[i] = PICTURE.sub(lambda m: m[0] + 'class="wide" ' * (m[1] in wide), parts[i])
    for i in range(1, len(parts), 3):
        parts[i] = UNCOLOURED.sub(r"\1", parts[i]).replace("<pre><span></span>", "<pre>", 1)
    return "".join(part for i, part in enumerate(parts) if i % 3 != 2)


def lighten(out):
    """All pages but those that were only copied, and the theme's files."""
    shared, wide = {}, set(wide_pictures(out / "_images"))
    for path in out.rglob("*.html"):
        name = path.relative_to(out)
        if name.parts[0] not in ("traces", "404.html"):
            root = "../" * (len(name.parts) - 1)
            path.write_text(lighter(path.read_text(), root, shared, wide))
    icons = json.dumps(shared["icons.js"])
    (out / "_static" / "icons.js").write_text(
        f'document.currentScript.insertAdjacentHTML("beforebegin", {icons});\n'
    )
    (out / "_static" / "colours.css").write_text(shared["colours.css"])
    for path in out.rglob("*.map"):
        mapped = path.with_suffix("")
        mapped.write_text(SOURCE_MAP.sub("", mapped.read_text()))
        path.unlink()
