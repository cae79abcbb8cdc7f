"""Round trip: NumPy writes arrays of every dtype, order and version, copy.cpp copies them, and
NumPy must read the same arrays.
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

copy = sys.argv[1]
failures = []


def run(source, target, *options):
    return subprocess.run(
        [copy, str(source), str(target), *options], capture_output=True, text=True
    )


def expect_same(array, name, folder, version=None):
    source, target = folder / "in.npy", folder / "out.npy"
    with open(source, "wb") as file:
        np.lib.format.write_array(file, array, version=version, allow_pickle=True)
    done = run(source, target)
    if done.returncode != 0:
        failures.append(f"{name}: {done.stderr.strip()}")
        return
    back = np.load(target)
    if (
        back.shape != array.shape
        or back.dtype.newbyteorder("=") != array.dtype.newbyteorder("=")
        or not np.array_equal(back, array)
    ):
        failures.append(
            f"{name}: {array.dtype} {array.shape} came back as {back.dtype} {back.shape}"
        )


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "b1"):
        for order in "<>":
            values = (np.arange(60) * 7 % 100).astype(order + kind)
            for shape in ((60,), (12, 5), (3, 4, 5), (60, 1), (1, 60), (0,), (0, 4), ()):
                array = values[: int(np.prod(shape))].reshape(shape)
                for memory in "CF":
                    expect_same(
                        np.array(array, order=memory), f"{order}{kind} {shape} {memory}", folder
                    )
    for version in ((1, 0), (2, 0), (3, 0)):
        expect_same(np.linspace(0, 1, 1000), f"version {version}", folder, version)
    expect_same(
        np.arange(3_000_000, dtype="<f4").reshape(1000, 3000).T, "large and transposed", folder
    )

    for array, status, word in (
        (np.zeros(3, [("a", "f8"), ("b", "i4")]), 2, "has 2 columns (a, b)"),
        (np.zeros(3, complex), 3, "complex"),
        (np.array(["a", "b"]), 3, "strings"),
        (np.array([None, 1]), 3, "Python objects"),
        (np.zeros(2, "M8[s]"), 3, "dates"),
    ):
        np.save(folder / "bad.npy", array, allow_pickle=True)
        done = run(folder / "bad.npy", folder / "out.npy")
        if done.returncode != status or word not in done.stderr:
            failures.append(
                f"{array.dtype}: exit {done.returncode}, {done.stderr.strip()!r} without {word!r}"
            )

    text = "1 2.5\n-0.0 1e-300 nan\n"
    (folder / "in.txt").write_text(text)
    if run(folder / "in.txt", folder / "text.npy").returncode != 0:
        failures.append("text could not be copied")
    elif not np.array_equal(
        np.load(folder / "text.npy"), [float(token) for token in text.split()], equal_nan=True
    ):
        failures.append("text came back different")

print("\n".join(failures[:20]), end="\n" if failures else "")
sys.exit(1 if failures else 0)
