"""The annotations, as a type checker of users sees them."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import upsweep

SUCCESS = {"mypy": "Success", "pyright": "0 errors"}


def checked(checker, *arguments, **options):
    command = [sys.executable, "-m", checker, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, **options)
    return done.stdout + done.stderr


def test_the_package_agrees_with_its_annotations():
    assert "Success" in checked("mypy", "--cache-dir", "/dev/null", "-p", "upsweep")


@pytest.mark.parametrize("checker", SUCCESS)
def test_programs_of_users_are_checked(checker, tmp_path):
    pytest.importorskip(checker)
    if "error" in checked(checker, "--version").lower():
        pytest.skip("pyright fetches a package of npm, which is out of reach")
    home = Path(sys.prefix)
    config = {"venvPath": str(home.parent), "venv": home.name}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, upsweep\n"
        "x = np.ones((3, 4))\n"
        "upsweep.sum(x, axis=(0, 1), dtype=np.float32, threads=2, mode='fast')\n"
        "upsweep.scan([1, 2], upsweep.maximum, exclusive=True)\n"
        "upsweep.reduce(['a'], lambda a, b: a + b)\n"
        "keys, values = upsweep.group_reduce(['a', 'b'], [1, 2], 'max')\n"
        "upsweep.Stream('sum').push(x).result()\n"
        "upsweep.add.reduceat(x, [0, 2], axis=1)\n"
        "upsweep.rank(x, 0, method='dense').max()\n"
        "slope, intercept = upsweep.linear_regression(x, x)\n"
        "upsweep.max(np.array(['2026-01-01'], 'M8[D]'))\n"
        "n, half = np.int64(2), np.float32(0.5)\n"
        "upsweep.sum(x, axis=n, initial=half, threads=n)\n"
        "upsweep.sum(x, axis=(n, n - 1), initial=np.uint8(1))\n"
        "upsweep.windowed(x[0], n, 'mean', axis=n - 2, min_periods=n - 1, correction=half)\n"
        "upsweep.ema(x[0], half, initial=half)\n"
        "upsweep.top(x, n)\n"
        "upsweep.var(x, ddof=n, where=x > 0)\n"
        "upsweep.bincount([1, 2], minlength=n)\n"
        "upsweep.histogram(x, n, (half, n))\n"
        "upsweep.quantile(x, half, n - 1, method='lower')\n"
        "y, state = upsweep.lfilter([n], [half, half], x[0], zi=[half])\n"
        "upsweep.linear_recurrence(half, x[0], initial=n)\n"
        "upsweep.reduce(x, np.maximum)\n"
        "upsweep.max(np.array(['2026-01-01'], 'M8[D]'), initial=np.datetime64('2026-01-01'))\n"
        "upsweep.add(n, half)\n"
    )
    assert SUCCESS[checker] in checked(checker, str(program), cwd=tmp_path)
    program.write_text(
        "import upsweep\nupsweep.sum([1], mode='quick')\nupsweep.sum([1], axes=0)\nupsweep.cumsun\n"
    )
    report = checked(checker, str(program), cwd=tmp_path)
    for line in (2, 3, 4):
        assert re.search(rf"program\.py:{line}:.*error", report)


def test_classes_show_their_arguments():
    for shown, name in ((upsweep.Stream, "initial"), (upsweep.Partial, "begin")):
        assert ["op", "dtype", name, "threads"] == list(inspect.signature(shown).parameters)


def test_the_stub_has_every_function():
    stub = Path(upsweep.__file__).with_name("__init__.pyi").read_text()
    for name in upsweep.__all__:
        assert f"from upsweep.{upsweep._HOMES[name]} import {name} as {name}\n" in stub
