"""The notebook among the examples: each cell runs, and shows what the text around it says."""

import re
from pathlib import Path

import pytest

nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
EXAMPLES = Path(__file__).resolve().parents[3] / "examples/torch"


def test_every_cell_shows_what_the_text_says():
    notebook = nbformat.read(EXAMPLES / "mamba.ipynb", 4)
    nbclient.NotebookClient(
        notebook, timeout=1200, resources={"metadata": {"path": str(EXAMPLES)}}
    ).execute()
    shown = [str(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
    losses, curve, counts, pictures, gradients = shown
    assert "same losses: True" in losses
    assert "<polyline" in curve and pictures.count("<text") == 30
    same, reference, pytorch = map(int, re.findall(r"(\d+) logits differ", counts))
    assert same == 0 < reference < pytorch
    assert "[True, True]" in gradients
