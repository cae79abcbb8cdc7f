"""Markdown as HTML, as far as the exercises and the pages of the findings use it: headings,
paragraphs, lists, fenced blocks, code, emphasis, links, and what is folded.
"""

import html
import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.S | re.M)
FOLDED = re.compile(r"<details>\s*<summary>(.*?)</summary>\s*(.*?)\s*</details>", re.S)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def line_html(text, address):
    """Of a paragraph. `address` gives a link's address; None makes it plain text."""
    text = " ".join(text.split())
    codes = []

    def keep(match):
        codes.append(f"<code>{html.escape(match[1])}</code>")
        return f"\0{len(codes) - 1}\0"

    def link(match):
        to = address(html.unescape(match[2]))
        return match[1] if to is None else f'<a href="{html.escape(to)}">{match[1]}</a>'

    text = html.escape(re.sub(r"`([^`]+)`", keep, text), quote=False)
    text = LINK.sub(link, text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"\*([^*\s][^*]*)\*", r"<em>\1</em>", text)
    return re.sub("\0(\\d+)\0", lambda m: codes[int(m[1])], text)


def code_html(text, label="Code"):
    """It scrolls, so the keyboard must reach it. A page may have several groups of one name."""
    name = f'tabindex="0" role="group" aria-label="{label}"'
    return f"<pre {name}>{html.escape(text)}</pre>"


def block_html(block, address, level):
    """Of lines between two empty ones."""
    if heading := re.match(r"(#+) (.*)", block):
        depth = len(heading[1]) - 1 + level
        return f"<h{depth}>{line_html(heading[2], address)}</h{depth}>"
    if block.startswith("- "):
        items = re.split(r"^- ", block, flags=re.M)[1:]
        rows = "".join(f"<li>{line_html(item, address)}</li>" for item in items)
        return f"<ul>{rows}</ul>"
    if block.startswith("    "):
        return code_html(re.sub(r"^    ", "", block, flags=re.M))
    return f"<p>{line_html(block, address)}</p>"


def html_of(text, address=lambda to: to, level=1):
    """`level`: of the first heading."""
    kept = []

    def keep(made):
        kept.append(made)
        return f"\n\n\0{len(kept) - 1}\0\n\n"

    text = FENCE.sub(lambda m: keep(code_html(m[2], m[1] or "Code")), text + "\n")
    text = FOLDED.sub(
        lambda m: keep(
            f"<details><summary>{html.escape(m[1])}</summary>{html_of(m[2], address, level)}"
            "</details>"
        ),
        text,
    )
    parts = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        number = re.fullmatch("\\s*\0(\\d+)\0\\s*", block)
        parts.append(kept[int(number[1])] if number else block_html(block, address, level))
    return "\n".join(parts)
