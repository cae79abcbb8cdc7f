"""The examples in the docstrings."""

import doctest
import importlib
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
