"""The pages of the reference, and what has no entry there."""

import re

import reference_c
import reference_cpp
import reference_python
import reference_tool

CODE = re.compile(r"(^```[\s\S]*?^```|^ {4}[^\n]*|`[^`\n]*`|\]\([^)]*\))", re.M)
DOCUMENT = re.compile(r"(?<![\w/])docs/([\w/]+)\.md")


def add_pages(site, tool):
    """C++, Python, C and the tool. Every name of tests/package/public_names.txt, of Python and of
    the C headers has an entry. The names for GPUs are those that reference.toml lists.
    """
    wrong, cpp, names = site.links.wrong, [], set()
    for page, text, found, missing in reference_cpp.pages():
        site.texts[page] = text
        cpp.append(page)
        names |= found
        wrong += [f"docs/site/reference.toml: no header of {page} has {name}" for name in missing]
    wrong += [
        f"upsweep::{n} has no entry in docs/site/reference.toml"
        for n in sorted(reference_cpp.public_names() - names)
    ]
    for page, text, _, missing in reference_python.pages():
        site.texts[page] = text
        wrong += [f"upsweep.{name} of Python has no docstring" for name in missing]
    site.texts["reference/c"], _, _ = reference_c.page(reference_cpp.places())
    for page, text, _ in reference_tool.pages(tool):
        site.texts[page] = text
    for page in [name for name in site.texts if name.startswith("reference/")]:
        site.texts[page] = with_links(page, site.texts[page])
        site.links.shown |= shown_in(site.texts[page])


def with_links(page, text):
    """The text with links to the documents that it names, outside of code."""
    up = "../" * page.count("/")
    parts = CODE.split(text)
    parts[::2] = [DOCUMENT.sub(rf"[]({up}\1.md)", part) for part in parts[::2]]
    return "".join(parts)


def shown_in(text):
    """Files of the tree that a page of the reference links to."""
    return set(re.findall(r"\(site:(?:\.\./)+source/([^)]*)\.html\)", text))
