"""The notebook among the examples: each cell runs, and shows what the text around it says."""

import shutil
from pathlib import Path

import pytest

nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.skipif(shutil.which("g++") is None, reason="CUDA cells are compiled by g++")
def test_every_cell_shows_what_the_text_says(tool):
    notebook = nbformat.read(EXAMPLES / "running_totals.ipynb", 4)
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}
    ).execute()
    shown = [str(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
    sums, same, groups, trace, table, _, racing, right = shown
    assert "rounded once 135941.15\\n" in sums
    assert same.count("True") == 4 and "False" not in same
    assert "2020 2884.9" in groups
    assert "<iframe srcdoc=" in trace
    assert "<td>kogge_stone</td><td>brent_kung</td><td>blelloch</td>" in table
    assert "nothing orders the two accesses" in racing and "cell.cu:10" in racing
    assert "the last of 64 sums is 64" in right and "nothing orders" not in right
