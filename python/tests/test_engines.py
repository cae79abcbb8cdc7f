"""The example with Dask, whose chunks do not change the bits."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("dask.array")


def test_chunks_do_not_change_the_bits():
    example = Path(__file__).resolve().parents[2] / "examples/dask_totals.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True)
    assert [line.split(", ")[-1] for line in done.stdout.splitlines()] == [
        "the bits of one array"
    ] * 4
