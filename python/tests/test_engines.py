"""The examples with task engines, whose chunks and partitions do not change the bits."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "engine, example, lines",
    [("dask.array", "dask_totals", 4), ("ray", "ray_totals", 1), ("pyspark", "spark_totals", 3)],
)
def test_pieces_do_not_change_the_bits(engine, example, lines):
    pytest.importorskip(engine)
    if engine == "pyspark" and not shutil.which("java"):
        pytest.skip("Spark needs Java")
    path = Path(__file__).resolve().parents[2] / "examples" / f"{example}.py"
    quiet = os.environ | {"RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=True, env=quiet
    )
    printed = done.stdout.splitlines()
    assert len(printed) == lines
    assert all(line.endswith(" the bits of one array") for line in printed)
