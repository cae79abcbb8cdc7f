"""The golden set through the package: `python -m upsweep.golden`, and faults that it must find."""

import subprocess
import sys
import tarfile

from reference import GOLDEN
from upsweep import golden

SHORT = "reduce op=sum,moments type=i32,f64 kind=scattered n=3,65 initial=none,next\n"


def lines():
    with tarfile.open(GOLDEN / "set.tar.xz") as archive:
        return archive.extractfile("set.txt").read().decode("ascii").splitlines()


def test_no_result_of_the_set_differs():
    words = [sys.executable, "-m", "upsweep.golden"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict, *gaps, last = done.stdout.splitlines()
    covered = int(verdict.split()[0])
    assert verdict.endswith("s: no result differs") and f"{covered} of 24581 cases" in verdict
    assert covered >= 17000 and f"{24581 - covered} cases" in gaps[0]
    assert last.startswith("SHA-256 of the lines of these cases: ")
    assert done.stderr == ""


def test_lines_of_the_set_are_compared(capsys):
    assert golden.check(expected=lines(), threads=1)
    assert "no result differs" in capsys.readouterr().out


def test_a_wrong_digit_is_found(capsys):
    expected = lines()
    number = next(i for i, line in enumerate(expected) if line.startswith("inclusive_scan op=sum"))
    right = expected[number + 8]
    expected[number + 8] = right[:-1] + ("0" if right[-1] != "0" else "1")
    assert not golden.check(expected=expected)
    out = capsys.readouterr().out
    text, _, result = right.partition(" => ")
    assert f"case {number + 9} differs: {text}\n  computed {result}\n" in out
    assert " cases in " in out and ": 1 differs\n" in out


def test_another_recipe_is_found(capsys):
    assert not golden.check(recipe=SHORT)
    out = capsys.readouterr().out
    assert "case 1 differs: reduce op=sum type=i32 kind=scattered n=3 initial=none\n" in out
    assert "8 of 16 cases" in out and "8 differ\n" in out and "moments 8" in out
