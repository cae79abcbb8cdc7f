"""The examples in the docstrings."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest
import upsweep


@pytest.mark.parametrize("module", sorted(upsweep._MODULES))
def test_examples_in_docstrings(module):
    home = importlib.import_module(f"upsweep.{module}")
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for example in finder.find(home, globs={"upsweep": upsweep}):
        runner.run(example)
    assert runner.failures == 0


def test_every_function_has_an_example():
    for name in upsweep.__all__:
        thing = getattr(upsweep, name)
        if upsweep._HOMES[name] != "_diagnosis":
            assert ">>>" in thing.__doc__, name


def documented():
    """The functions of the package, its classes and their methods, by name."""
    for name in upsweep.__all__:
        thing = getattr(upsweep, name)
        if isinstance(thing, type) or not hasattr(thing, "accumulate"):
            yield name, thing
    for kind in (upsweep.Stream, upsweep.Partial, type(upsweep.add)):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if name[0] != "_":
                yield f"{kind.__name__}.{name}", method
    for name in upsweep.lab.__all__:
        yield f"lab.{name}", getattr(upsweep.lab, name)


@pytest.mark.parametrize("name, thing", [pytest.param(*d, id=d[0]) for d in documented()])
def test_docstrings_describe_every_parameter_in_numpys_style(name, thing):
    summary, *rest = inspect.getdoc(thing).split("\n")
    assert summary.endswith(".") and len(summary) <= 96
    assert rest[:1] in ([], [""])
    text = "\n".join(rest)
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}$", text, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))
    order = ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"]
    assert list(sections) == [title for title in order if title in sections]
    told = re.findall(r"^\**(\w+) : ", sections.get("Parameters", ""), re.M)
    assert told == [p for p in inspect.signature(thing).parameters if p != "self"]
    for other in re.findall(r"\w+", sections.get("See Also", "")):
        assert other in [*upsweep.__all__, *upsweep.lab.__all__]


@pytest.mark.parametrize(
    "page",
    ["README.md", "python/README.md"]
    + [f"docs/{p}.md" for p in ("index", "start", "tutorial", "questions", "python")],
)
def test_examples_on_pages(page):
    text = (Path(__file__).resolve().parents[2] / page).read_text()
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.S)
    assert blocks
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    runner.run(example)
    assert runner.failures == 0
