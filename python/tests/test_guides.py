"""The calls on the pages of docs/guides, and what these say of NumPy, pandas and SQL."""

import math
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest
import upsweep

pytest.importorskip("tomllib", reason="Python 3.10 has none")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from guides import calls  # noqa: E402


def shown(value):
    """The words of a result as the pages write them: of arrays, tables and tuples one by one."""
    if isinstance(value, (bool, np.bool_)):
        return [str(int(value))]
    if isinstance(value, (str, int)):
        return [str(value)]
    if isinstance(value, (float, np.floating)):
        # repr(np.float64(3)) is 'np.float64(3.0)'; a float32 has its own shortest digits.
        return [str(value).removesuffix(".0")]
    if isinstance(value, np.integer):
        return [str(int(value))]
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        value = list(value.ravel())
    return [word for part in value for word in shown(part)]


def of_python(call):
    """The value of the last line of code, which follows its data."""
    names = {"np": np, "upsweep": upsweep, "math": math}
    if "pd." in call.code + call.data:
        names["pd"] = pytest.importorskip("pandas")
    exec(call.data, names)
    *lines, last = call.code.splitlines()
    exec("\n".join(lines), names)
    return eval(last, names)


def of_sql(call):
    base = sqlite3.connect(":memory:")
    base.executescript(call.data)
    return [tuple(row) for row in base.execute(call.code)]


COLUMNS = {"python": of_python, "numpy": of_python, "pandas": of_python, "sql": of_sql}
CALLS = [(column, call) for column in COLUMNS for call in calls(column)]


@pytest.mark.parametrize(("column", "call"), CALLS, ids=[f"{c} {x.where}" for c, x in CALLS])
def test_call_gives_what_the_page_says(column, call):
    with np.errstate(all="ignore"):
        assert " ".join(shown(COLUMNS[column](call))) == call.shows


def test_there_are_calls_of_every_column():
    assert {column for column, _ in CALLS} == set(COLUMNS)
