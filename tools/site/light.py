"""Makes what Sphinx wrote lighter: pages without indentation, symbols that nothing shows, and what
tables repeat in every row and cell; styles and scripts without maps of their sources.
"""

import re

AS_IT_IS = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.S)
SYMBOL = re.compile(r'\s*<symbol id="([\w-]+)".*?</symbol>', re.S)
SOURCE_MAP = re.compile(r"(?://|/\*)# sourceMappingURL=\S+(?: ?\*/)?\s*")
CHANGES = [
    (re.compile(r"<thead>\s*<tr[^>]*>(?:<th[^>]*>(?:<p></p>)?</th>\s*)+</tr>\s*</thead>"), ""),
    (re.compile(r"<th([^>]*)>(?:<p></p>)?</th>"), r"<td\1></td>"),  # no header has no text
    (re.compile(r'<div id="search-results">'), r"<h1>Search</h1>\g<0>"),
    (re.compile(r"\s*\n\s*"), "\n"),
    (re.compile(r' class="row-(?:even|odd)"'), ""),
    (re.compile(r"<(t[dh])([^>]*)><p>((?:(?!</?p[ >]).)*?)</p></\1>", re.S), r"<\1\2>\3</\1>"),
]


def lighter(page):
    page = SYMBOL.sub(lambda m: m[0] if f'"#{m[1]}"' in page else "", page)
    parts = AS_IT_IS.split(page)
    for i in range(0, len(parts), 3):
        for pattern, to in CHANGES:
            parts[i] = pattern.sub(to, parts[i])
    return "".join(part for i, part in enumerate(parts) if i % 3 != 2)


def lighten(out):
    """All pages but those that were only copied, and the theme's files."""
    for path in out.rglob("*.html"):
        if path.relative_to(out).parts[0] not in ("traces", "404.html"):
            path.write_text(lighter(path.read_text()))
    for path in out.rglob("*.map"):
        mapped = path.with_suffix("")
        mapped.write_text(SOURCE_MAP.sub("", mapped.read_text()))
        path.unlink()
