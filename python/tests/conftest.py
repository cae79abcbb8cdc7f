"""The tests import `reference`, which lies beside them; those of the laboratory need the tool."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
BUILT = Path(__file__).resolve().parents[2] / "build/bin/upsweep"


@pytest.fixture
def tool(monkeypatch):
    """The tool of the wheel, or the one that `make build` has built."""
    from upsweep import lab

    if not (Path(lab.__file__).parent / "tool").exists() and BUILT.exists():
        monkeypatch.setenv("UPSWEEP_TOOL", str(BUILT))
    try:
        return lab.tool()
    except FileNotFoundError:
        pytest.skip("the tool is not built")
