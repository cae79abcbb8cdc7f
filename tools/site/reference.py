"""The pages of the reference."""


def add_pages(site, tool):
    """C++, Python, C and the tool."""
