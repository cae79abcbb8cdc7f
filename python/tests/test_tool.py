"""The command `upsweep` of a wheel that brings the tool."""

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import upsweep

COMMAND = Path(sys.executable).with_name("upsweep")
HOME = Path(upsweep.__file__).parent / "tool"
pytestmark = pytest.mark.skipif(not HOME.exists(), reason="the wheel was built without the tool")


def called(*arguments, status=0, **options):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, **options)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_it_needs_no_newer_glibc_than_2_28():
    tags = importlib.metadata.distribution("upsweep").read_text("WHEEL")
    versions = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", tags)]
    if not versions:
        pytest.skip("the wheel was not repaired by auditwheel")
    assert max(versions) <= 28


def test_it_is_of_the_same_version_and_has_the_same_bits():
    assert upsweep.__version__ in called("--version")
    numbers = [0.1, 0.2, 0.3, 0.4, 0.5]
    total = called("reduce", input="\n".join(map(str, numbers)))
    assert float(total) == upsweep.sum(numbers)


def test_it_runs_kernels_and_files(tmp_path):
    assert "agree" in called("run", "brent_kung", "-n", "64", cwd=tmp_path)
    file = tmp_path / "program.cu"
    file.write_text("__global__ void nothing() {}\nint main() { nothing<<<1, 32>>>(); }\n")
    assert "nothing" in called("run", file)
    exercise = HOME / "share/upsweep/exercises/01-in-place-race"
    assert "race" in called("grade", exercise, status=1)


def test_without_a_compiler_it_says_what_to_install(tmp_path):
    file = tmp_path / "program.cu"
    file.write_text("int main() {}\n")
    without = {k: v for k, v in os.environ.items() if k not in ("PATH", "CXX")}
    assert "g++" in called("run", file, status=5, env=without | {"PATH": ""})
