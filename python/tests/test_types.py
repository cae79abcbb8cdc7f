"""The annotations, as a type checker of users sees them."""

import subprocess
import sys

import pytest
import upsweep

pytest.importorskip("mypy")


def checked(*arguments):
    command = [sys.executable, "-m", "mypy", "--cache-dir", "/dev/null", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    return done.stdout + done.stderr


def test_the_package_agrees_with_its_annotations():
    assert "Success" in checked("-p", "upsweep")


def test_programs_of_users_are_checked(tmp_path):
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
    )
    assert "Success" in checked(str(program))
    program.write_text(
        "import upsweep\nupsweep.sum([1], mode='quick')\nupsweep.sum([1], axes=0)\nupsweep.cumsun\n"
    )
    report = checked(str(program))
    for line in (2, 3, 4):
        assert f"program.py:{line}: error" in report


def test_the_stub_has_every_function():
    from pathlib import Path

    stub = Path(upsweep.__file__).with_name("__init__.pyi").read_text()
    for name in upsweep.__all__:
        assert f"from upsweep.{upsweep._HOMES[name]} import {name} as {name}\n" in stub
